import StratusCloudModel
import StratusCloudStore

/// The backup of one device: a restic repository.
struct StoredDeviceBackup: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Milliseconds since 1970-01-01 UTC.
    var created: Int64
    /// When the latest snapshot was saved, in milliseconds since 1970-01-01 UTC.
    var lastBackup: Int64?
    var files: UInt64 = 0
    var bytes: Int64 = 0
    /// Whether a person has deleted it. What is left of it is removed in steps, and nothing else happens to it.
    var isDeleted = false

    init(created: Int64) { self.created = created }

    init(from reader: inout ByteReader) throws {
        created = try reader.signed()
        lastBackup = try reader.optional { try $0.signed() }
        files = try reader.unsigned()
        bytes = try reader.signed()
        isDeleted = try reader.byte() != 0
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: created)
        writer.write(optional: lastBackup) { $0.write(signed: $1) }
        writer.write(unsigned: files)
        writer.write(signed: bytes)
        writer.write(byte: isDeleted ? 1 : 0)
    }
}

/// A file of a repository: a reference to bytes, as records have them.
struct StoredBackupFile: StoredValue, Hashable {
    static let format: UInt8 = 1

    var asset: AssetID
    var size: Int64

    init(asset: AssetID, size: Int64) {
        self.asset = asset
        self.size = size
    }

    init(from reader: inout ByteReader) throws {
        guard let asset = AssetID(bytes: try reader.slice()) else { throw ByteReader.Malformed() }
        self.init(asset: asset, size: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(bytes: asset.bytes)
        writer.write(signed: size)
    }
}

extension Partition {
    private static let deviceBackupPrefix = "backups/"

    /// The backups of all devices of an account. They belong to the account, not to a container.
    static func deviceBackups(of accountID: String) -> Partition { Partition(deviceBackupPrefix + accountID) }

    /// Whether it holds the backups of an account's devices.
    var holdsDeviceBackups: Bool { name.hasPrefix(Self.deviceBackupPrefix) }
}

extension Keyspace {
    static func deviceBackup(_ device: BackupDevice) -> Key { deviceKey(.deviceBackup, device.name).key }
    static var deviceBackups: KeyRange { KeyRange(prefix: Key([Tag.deviceBackup.rawValue])) }

    /// The device at the end of such a key.
    static func backedUpDevice(_ key: Key) -> BackupDevice? {
        var decoder = TupleDecoder(key, skipping: 1)
        return decoder.string().flatMap { BackupDevice($0) }
    }

    static func backupFile(_ file: BackupFile, of device: BackupDevice) -> Key {
        var encoder = deviceKey(.deviceBackupFile, device.name)
        encoder.append(byte: file.kind.number)
        encoder.append(rest: file.sha256)
        return encoder.key
    }

    static func backupFiles(of device: BackupDevice) -> KeyRange {
        KeyRange(prefix: deviceKey(.deviceBackupFile, device.name).key)
    }

    static func backupFiles(_ kind: BackupFileKind, of device: BackupDevice) -> KeyRange {
        KeyRange(prefix: backupFile(BackupFile(kind: kind, sha256: []), of: device))
    }

    private static func deviceKey(_ tag: Tag, _ name: String) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: tag.rawValue)
        encoder.append(string: name)
        return encoder
    }
}
