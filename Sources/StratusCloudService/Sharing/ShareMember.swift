import StratusCloudModel
import StratusCloudStore

/// That a record belongs to the share of a hierarchy. The entries of a share that was stopped stay until their records
/// change, and mean nothing.
struct ShareMember: StoredValue, Hashable {
    static let format: UInt8 = 1

    var share: ShareNumber
    /// Whether it is the record that was shared.
    var isRoot: Bool
    /// Under which version of the zone it stands in the share's feed.
    var listed: UInt64
    /// The version at which it came into the share.
    var joined: UInt64

    init(share: ShareNumber, isRoot: Bool, listed: UInt64, joined: UInt64) {
        self.share = share
        self.isRoot = isRoot
        self.listed = listed
        self.joined = joined
    }

    init(from reader: inout ByteReader) throws {
        share = ShareNumber(rawValue: try reader.unsigned())
        isRoot = try reader.byte() != 0
        listed = try reader.unsigned()
        joined = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: share.rawValue)
        writer.write(byte: isRoot ? 1 : 0)
        writer.write(unsigned: listed)
        writer.write(unsigned: joined)
    }
}

/// What the feed of a share tells of a record that is in it, or was.
struct ShareFeedEntry: StoredValue, Hashable {
    static let format: UInt8 = 1

    var recordName: String
    var recordType: String
    /// The version at which it came into the share: whoever knows less never heard of it.
    var joined: UInt64
    /// When it left: milliseconds since 1970-01-01 UTC; 0 for what is there.
    var left: Int64

    init(recordName: String, recordType: String, joined: UInt64, left: Int64 = 0) {
        self.recordName = recordName
        self.recordType = recordType
        self.joined = joined
        self.left = left
    }

    init(from reader: inout ByteReader) throws {
        recordName = try reader.string()
        recordType = try reader.string()
        joined = try reader.unsigned()
        left = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(recordName)
        writer.write(recordType)
        writer.write(unsigned: joined)
        writer.write(signed: left)
    }
}

extension ReadTransaction {
    /// What names belong to; nil where a name belongs to nothing that was ever shared.
    func shareMembers(_ names: some Collection<String>, in zone: ZoneNumber) throws -> [ShareMember?] {
        guard !names.isEmpty else { return [] }
        return try get(names.map { Keyspace.member(zone: zone, $0) }).map { try $0.map { try ShareMember(stored: $0) } }
    }
}
