import StratusCloudAssets

/// What the store keeps of some bytes of one database.
struct StoredBlob: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Where they lie.
    var file: AssetFileID
    var size: Int64
    /// The whole digest of the bytes.
    var sha256: [UInt8]
    /// Records that have them, and finished uploads that are not saved yet. At 0 they are unused.
    var references: UInt64
    /// Since when they are unused, while there are no references; they are removed some time later.
    var unusedSince: Int64 = 0

    init(file: AssetFileID, size: Int64, sha256: [UInt8], references: UInt64) {
        self.file = file
        self.size = size
        self.sha256 = sha256
        self.references = references
    }

    init(from reader: inout ByteReader) throws {
        file = try AssetFileID(from: &reader)
        size = try reader.signed()
        sha256 = Array(try reader.slice())
        references = try reader.unsigned()
        unusedSince = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(bytes: file.bytes)
        writer.write(signed: size)
        writer.write(bytes: sha256)
        writer.write(unsigned: references)
        writer.write(signed: unusedSince)
    }
}

/// What the store keeps of an upload from its beginning until it is saved in a record or its time is over.
struct StoredUpload: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Where the bytes go; nil for an upload of bytes that a record had.
    var file: AssetFileID?
    /// When it ends unless it is saved.
    var expires: Int64
    /// Bytes that are durable: where it can be continued.
    var offset: Int64 = 0
    /// Bytes that it counts for in the limit of the account.
    var announced: Int64
    /// What it came to, once it is finished.
    var asset: AssetID?

    init(file: AssetFileID?, expires: Int64, announced: Int64) {
        self.file = file
        self.expires = expires
        self.announced = announced
    }

    init(from reader: inout ByteReader) throws {
        file = try reader.optional { try AssetFileID(from: &$0) }
        expires = try reader.signed()
        offset = try reader.signed()
        announced = try reader.signed()
        asset = try reader.optional { reader in
            guard let asset = AssetID(bytes: try reader.slice()) else { throw ByteReader.Malformed() }
            return asset
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(optional: file) { $0.write(bytes: $1.bytes) }
        writer.write(signed: expires)
        writer.write(signed: offset)
        writer.write(signed: announced)
        writer.write(optional: asset) { $0.write(bytes: $1.bytes) }
    }
}

extension AssetFileID {
    fileprivate init(from reader: inout ByteReader) throws {
        guard let file = AssetFileID(Array(try reader.slice())) else { throw ByteReader.Malformed() }
        self = file
    }
}
