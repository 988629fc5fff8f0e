import StratusCloudCrypto
import StratusCloudModel

/// The records of a public database that a caller may read, and the deletions that the feed shows them.
struct ReadAccess: Sendable {
    /// The records of one type.
    enum Extent: UInt8, Sendable {
        case none
        /// Those that the caller created.
        case own
        case all
    }

    /// By record type, where it is not ``otherwise``.
    private let exceptions: [String: Extent]
    /// Types that have the default grants, or do not exist yet.
    private let otherwise: Extent
    private let userRecordName: String?

    init(of caller: Caller, under schema: Schema) {
        func extent(_ recordType: String?) -> Extent {
            func mayRead(recordsOf creator: String?) -> Bool {
                Authorization.permits(.read, in: .public, recordType, of: schema, creator: creator, caller)
            }
            if mayRead(recordsOf: nil) { return .all }
            return caller.userRecordName != nil && mayRead(recordsOf: caller.userRecordName) ? .own : .none
        }
        let otherwise = extent(nil)
        exceptions = schema.recordTypes.keys.reduce(into: [:]) { exceptions, recordType in
            let extent = extent(recordType)
            if extent != otherwise { exceptions[recordType] = extent }
        }
        self.otherwise = otherwise
        userRecordName = caller.userRecordName
    }

    /// Equal for callers who may read the same; 0 for those who may read everything that is not restricted.
    ///
    /// A token holds it: records that a caller could not read before would be missing from what follows the token, and
    /// those that they may no longer read would stay with them. New types with the default grants do not change it.
    var fingerprint: UInt64 {
        guard !exceptions.isEmpty || otherwise != .all else { return 0 }
        var writer = ByteWriter()
        writer.write(byte: otherwise.rawValue)
        for (recordType, extent) in exceptions.sorted(by: { $0.key < $1.key }) {
            writer.write(recordType)
            writer.write(byte: extent.rawValue)
        }
        if otherwise == .own || exceptions.values.contains(.own) { writer.write(userRecordName ?? "") }
        return Self.digest(writer.bytes)
    }

    /// Whether the caller may read a record.
    func shows(_ record: RecordHead) -> Bool {
        switch extent(String(decoding: record.recordType, as: UTF8.self)) {
        case .none: false
        case .own: userRecordName.map { record.created.userRecordName.elementsEqual($0.utf8) } ?? false
        case .all: true
        }
    }

    /// Whether the caller hears of a deletion.
    func shows(_ tombstone: TombstoneEntry) -> Bool {
        switch extent(tombstone.recordType) {
        case .none: false
        // One without a creator was everybody's to read when it was deleted.
        case .own: tombstone.creator == nil || tombstone.creator == userRecordName.map(Self.creator)
        case .all: true
        }
    }

    /// Records of people are never shown: the feed would be a list of all of them.
    private func extent(_ recordType: String) -> Extent {
        recordType == SystemRecordType.users ? .none : exceptions[recordType] ?? otherwise
    }

    /// Returns the number by which a tombstone names the creator of its record, so that no name outlives its person there.
    static func creator(_ userRecordName: String) -> UInt64 { digest(Array(userRecordName.utf8)) }

    /// Returns the number of a record's creator for its tombstone; nil if everybody may read the record.
    static func creator(of record: StoredRecord, under schema: Schema, in context: CloudContext) -> UInt64? {
        let anybody = Caller(context: context, principal: .anonymous)
        let isOpen = Authorization.permits(
            .read, in: .public, record.recordType, of: schema, creator: nil, anybody)
        return isOpen ? nil : creator(record.created.userRecordName)
    }

    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
