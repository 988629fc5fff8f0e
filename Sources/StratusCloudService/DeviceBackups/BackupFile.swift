import StratusCloudCrypto

/// The name of a device in its person's backups: part of the address `/backup/<device>/`.
public struct BackupDevice: Hashable, Sendable {
    /// 1 to ``DeviceBackupLimits/deviceNameLength`` ASCII letters, digits, `-`, `_` and `.`, of which the first is a letter
    /// or a digit.
    public let name: String

    /// Fails for anything else.
    public init?(_ name: String) {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        let bytes = name.utf8
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= DeviceBackupLimits.deviceNameLength,
            bytes.allSatisfy({
                isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        self.name = name
    }
}

/// What a file of a restic repository is for. The raw value is the folder that it lies in; `config` is a file itself.
public enum BackupFileKind: String, Hashable, Sendable, CaseIterable {
    case config, data, index, keys, locks, snapshots

    /// Bytes that a file of this kind has at most.
    public var sizeLimit: Int64 {
        switch self {
        case .config, .keys, .locks: DeviceBackupLimits.smallFileSize
        case .data: DeviceBackupLimits.packSize
        case .index, .snapshots: DeviceBackupLimits.indexSize
        }
    }

    // Stored; never renumber them.
    var number: UInt8 {
        switch self {
        case .config: 0
        case .data: 1
        case .index: 2
        case .keys: 3
        case .locks: 4
        case .snapshots: 5
        }
    }
}

/// A file of a restic repository. Every file but the configuration is named by the SHA-256 of its bytes.
public struct BackupFile: Hashable, Sendable {
    /// What it is for.
    public let kind: BackupFileKind
    /// The name; empty for the configuration.
    let sha256: [UInt8]

    /// The configuration, which a repository has one of.
    public static let config = BackupFile(kind: .config, sha256: [])

    /// A file in a folder; nil for a name that is not 64 lower-case hexadecimal digits.
    public init?(_ kind: BackupFileKind, name: String) {
        guard kind != .config, name.utf8.count == 2 * SHA256.digestLength, name == name.lowercased(),
            let digest = Hex.decode(name)
        else { return nil }
        self.init(kind: kind, sha256: digest)
    }

    init(kind: BackupFileKind, sha256: [UInt8]) {
        self.kind = kind
        self.sha256 = sha256
    }
}
