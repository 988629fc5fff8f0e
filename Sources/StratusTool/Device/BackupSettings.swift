import FoundationEssentials
import Glibc
import StratusCloudService

/// Where a device is backed up, and with what: a file of the user's own for each device, in
/// `$XDG_DATA_HOME/stratus/backup`.
struct BackupSettings: Codable, Hashable {
    /// Scheme, host and port of the server, without a slash at the end.
    var url: String
    /// The address that the person signs in with.
    var email: String
    /// Adds to the backup, and deletes nothing of it.
    var appPassword: String
    /// The repository's password. Without it nobody can read the backup.
    var recoveryKey: String
    /// A PEM file of the certificate authorities to trust instead of the system's.
    var certificateAuthorityFile: String?

    /// The directory of all settings.
    /// - Throws: for a user without a home.
    static func directory() throws(ToolError) -> String { try UserDirectories.data() + "/stratus/backup" }

    static func path(of device: BackupDevice) throws(ToolError) -> String {
        try directory() + "/\(device.name).json"
    }

    /// Bytes of a file.
    private static let limit = 65_536

    /// The settings of a device; nil if it was not backed up from here.
    /// - Throws: if others may read them, or they are damaged.
    static func read(of device: BackupDevice) throws(ToolError) -> BackupSettings? {
        let path = try path(of: device)
        guard let bytes = try AtomicFile.readIfPresent(path, limit: limit) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw ToolError("other users may read \(path), which has secrets; make its mode 600")
        }
        do {
            return try JSONDecoder().decode(BackupSettings.self, from: Data(bytes))
        } catch {
            throw ToolError("\(path) is damaged: \(error)")
        }
    }

    /// Keeps the settings, before anything is encrypted with their key.
    func write(of device: BackupDevice) throws(ToolError) {
        let path = try Self.path(of: device)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
            // Only the user may enter a directory that the tool makes.
            try FileManager.default.createDirectory(atPath: Self.directory(), withIntermediateDirectories: true)
            try AtomicFile.replace(path, with: bytes)
        } catch {
            throw error as? ToolError ?? ToolError("cannot make \(path): \(error)")
        }
        AtomicFile.syncDirectory(of: path)
    }
}

/// The user's own directories, as the XDG specification names them. Relative paths are none.
enum UserDirectories {
    static func home() throws(ToolError) -> String {
        guard let home = absolute("HOME") else { throw ToolError("HOME is not set to the path of your home folder") }
        return home
    }

    static func data() throws(ToolError) -> String { try named("XDG_DATA_HOME", orInHome: ".local/share") }

    static func cache() throws(ToolError) -> String { try named("XDG_CACHE_HOME", orInHome: ".cache") }

    private static func named(_ variable: String, orInHome name: String) throws(ToolError) -> String {
        if let path = absolute(variable) { return path }
        return try home() + "/" + name
    }

    /// The absolute path in an environment variable; nil if there is none.
    static func absolute(_ variable: String) -> String? {
        guard let path = ProcessInfo.processInfo.environment[variable], path.hasPrefix("/") else { return nil }
        return path
    }
}
