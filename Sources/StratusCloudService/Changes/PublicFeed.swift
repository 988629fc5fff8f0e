import StratusCloudModel
import StratusCloudStore

/// The rules by which a caller sees the feed of a public database: the grants of record types, as for look-ups.
struct PublicFeedRules: Sendable {
    let schema: Schema
    let caller: Caller

    /// Whether the caller may read a record. The records of people are in no feed.
    func permits(_ recordType: String, creator: String?) -> Bool {
        recordType != SystemRecordType.users
            && Authorization.permits(.read, in: .public, recordType, of: schema, creator: creator, caller)
    }
}

/// The feed of a public database as a caller sees it, in a transaction.
struct PublicFeedView {
    private let rules: PublicFeedRules
    private let zone: ZoneNumber
    private let transaction: any ReadTransaction

    init(_ rules: PublicFeedRules, zone: ZoneNumber, _ transaction: any ReadTransaction) {
        self.rules = rules
        self.zone = zone
        self.transaction = transaction
    }

    func shows(_ record: StoredRecordView) -> Bool {
        rules.permits(record.recordType, creator: String(decoding: record.head.created.userRecordName, as: UTF8.self))
    }

    /// Whether a deletion is shown: of a record that the caller could read, unless a record of the same name that is shown,
    /// too, has taken its place. Names of public databases are free as soon as their records are deleted.
    /// - Parameter wants: Whether records of a type were requested.
    func shows(_ tombstone: TombstoneEntry, _ wants: (String) -> Bool) throws -> Bool {
        guard rules.permits(tombstone.recordType, creator: tombstone.creator) else { return false }
        guard let present = try transaction.record(named: tombstone.recordName, in: zone) else { return true }
        return !wants(present.recordType) || !rules.permits(present.recordType, creator: present.created.userRecordName)
    }
}
