import FoundationEssentials
import Glibc
import StratusCloudCrypto
import StratusCloudService
import StratusCommandLine

/// Which device's backup a command is about, and how it is reached where that is not kept yet.
enum DeviceOptions {
    static let device = Option.optional(
        "device", .string("name"), help: "The device; the name of this machine by default")
    private static let url = Option.optional(
        "url", .string("url"),
        help: "The server, such as https://cloud.example, where this machine does not know it yet")
    private static let email = Option.optional(
        "email", .string("address"), help: "The account, where this machine does not know it yet")
    private static let passwordFromInput = Option.flag(
        "password-stdin", help: "Reads the app password from standard input, up to the first line break")
    private static let keyFile = Option.optional(
        "key-file", .file,
        help: "The file with the recovery key of a backup that another machine, or an earlier system, made")

    /// Options of every command.
    static let all: [any ParameterDeclaring] = [device, url, email, passwordFromInput, keyFile]

    static func device(_ values: Values) throws(ToolError) -> BackupDevice {
        if let name = values[device] {
            guard let device = BackupDevice(name) else {
                throw .usage(
                    "'\(name)' cannot name a device; names have 1 to \(DeviceBackupLimits.deviceNameLength) letters, "
                        + "digits, '-', '_' and '.', and begin with a letter or digit")
            }
            return device
        }
        guard let device = BackupDevice(hostName()) else {
            throw .usage("the name of this machine cannot name a device; give --device")
        }
        return device
    }

    /// How the backup of a device is reached, and whether this machine knew it.
    struct Access {
        var settings: BackupSettings
        /// Whether the settings are kept on this machine.
        var areKept: Bool
        /// Whether the recovery key was made just now.
        var hasNewKey = false
    }

    /// - Parameter makesKey: whether a backup may be begun, which makes a recovery key where none is given.
    static func access(
        to device: BackupDevice, _ values: Values, makesKey: Bool = false
    ) throws(ToolError) -> Access {
        if var settings = try BackupSettings.read(of: device) {
            if let url = try url(values) { settings.url = url }
            settings.email = values[email] ?? settings.email
            if values[passwordFromInput] { settings.appPassword = try PasswordInput.firstLine() }
            if let key = try key(values), key != settings.recoveryKey {
                throw .usage(
                    "this machine backs up '\(device.name)' with another recovery key; choose another --device")
            }
            return Access(settings: settings, areKept: true)
        }
        guard let url = try url(values), let email = values[email] else {
            throw .usage("this machine does not know the backup of '\(device.name)' yet; give --url and --email")
        }
        let given = try key(values)
        guard given != nil || makesKey else {
            throw .usage("give --key-file: the recovery key that was shown when '\(device.name)' was first backed up")
        }
        let settings = BackupSettings(
            url: url, email: email, appPassword: try appPassword(values), recoveryKey: given ?? RecoveryKey.make(),
            certificateAuthorityFile: UserDirectories.absolute("STRATUS_CA_FILE"))
        return Access(settings: settings, areKept: false, hasNewKey: given == nil)
    }

    /// Another app password than the one that this machine keeps, which is not kept.
    static func otherAppPassword(_ values: Values, _ access: Access) throws(ToolError) -> String {
        guard access.areKept, !values[passwordFromInput] else { return access.settings.appPassword }
        return try appPassword(values)
    }

    /// An app password from standard input, or from who sits at the terminal.
    private static func appPassword(_ values: Values) throws(ToolError) -> String {
        if values[passwordFromInput] { return try PasswordInput.firstLine() }
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("standard input is no terminal; give --password-stdin to read the app password from it")
        }
        return try PasswordInput.askSecretly("App password: ")
    }

    private static func url(_ values: Values) throws(ToolError) -> String? {
        guard let url = values[url] else { return nil }
        try SignInTarget.check(url: url)
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    private static func key(_ values: Values) throws(ToolError) -> String? {
        guard let path = values[keyFile] else { return nil }
        let bytes = try AtomicFile.read(path, limit: 1_024)
        guard let text = String(validating: bytes, as: UTF8.self),
            let key = text.split(whereSeparator: \.isWhitespace).first
        else { throw ToolError("\(path) has no recovery key") }
        return String(key)
    }

    /// The name of this machine, up to its first dot.
    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    }
}

/// The password of a repository, which only the person's machines have.
enum RecoveryKey {
    /// 64 hexadecimal digits: 256 random bits.
    static func make() -> String { Hex.encode(RandomSource.system.bytes(32)) }
}
