import StratusCloudModel
import StratusCloudStore

/// What a database holds, or a change of it.
public struct Usage: Hashable, Sendable {
    /// Records, those of users and deleted ones left out.
    public var records: Int64 = 0
    /// Bytes of records as stored, without their assets, versions and tombstones.
    public var recordBytes: Int64 = 0
    /// Bytes of the assets that records refer to, once for each reference.
    public var assetBytes: Int64 = 0

    /// An empty database.
    public init() {}

    static func + (left: Usage, right: Usage) -> Usage {
        var sum = left
        // Wrapping, so that what is added and taken again is always as before.
        sum.records &+= right.records
        sum.recordBytes &+= right.recordBytes
        sum.assetBytes &+= right.assetBytes
        return sum
    }

    static prefix func - (usage: Usage) -> Usage {
        var negative = Usage()
        negative.records = 0 &- usage.records
        negative.recordBytes = 0 &- usage.recordBytes
        negative.assetBytes = 0 &- usage.assetBytes
        return negative
    }

    static func += (left: inout Usage, right: Usage) { left = left + right }

    /// Takes what is greater of another, of each figure for itself.
    mutating func formMaximum(_ other: Usage) {
        records = max(records, other.records)
        recordBytes = max(recordBytes, other.recordBytes)
        assetBytes = max(assetBytes, other.assetBytes)
    }
}

extension Usage: StoredValue {
    static let format: UInt8 = 1

    init(from reader: inout ByteReader) throws {
        records = try reader.signed()
        recordBytes = try reader.signed()
        assetBytes = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: records)
        writer.write(signed: recordBytes)
        writer.write(signed: assetBytes)
    }
}

extension StoredRecord {
    /// What the record takes of its database's room, the same at every version. The records of users are the system's
    /// and take none.
    var usage: Usage { usage(storedSize: stored.count) }

    /// As ``usage``, where the size of the stored form is known.
    func usage(storedSize: Int) -> Usage { usage(size: size(storedSize: storedSize)) }

    func usage(size: Int) -> Usage {
        guard recordType != SystemRecordType.users else { return Usage() }
        var usage = Usage()
        usage.records = 1
        usage.recordBytes = Int64(size)
        guard hasAssets else { return usage }
        for entry in fields where entry.field.value.scalarType == .asset {
            switch entry.field.value {
            case .scalar(.asset(let asset)): usage.assetBytes &+= asset.size
            case .list(_, let elements):
                for case .asset(let asset) in elements { usage.assetBytes &+= asset.size }
            default: break
            }
        }
        return usage
    }
}
