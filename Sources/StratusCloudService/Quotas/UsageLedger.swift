import StratusCloudModel
import StratusCloudStore

/// Counts what a transaction adds to its database and takes from it.
///
/// Whatever writes records does it with a ledger, which is only to be had inside of ``keep(in:quota:_:)``: the count
/// lies in the same partition and is written by the same transaction as the records, so it is right whenever they are.
final class UsageLedger {
    /// Records read at a time where a database is counted.
    private static let step = 1_000

    private let quota: Quota
    private(set) var usage: Usage
    /// As ``usage`` will be when everything is done that was promised room.
    private var planned: Usage

    private init(_ usage: Usage, _ quota: Quota) {
        self.usage = usage
        self.quota = quota
        planned = usage
    }

    /// Runs `body`, then writes what it made of the count, unless it throws.
    static func keep<Result>(
        in transaction: any WriteTransaction, quota: Quota, _ body: (UsageLedger) throws -> Result
    ) throws -> Result {
        let stored: Usage? = try transaction.value(at: Keyspace.usage)
        let ledger = UsageLedger(try stored ?? count(in: transaction), quota)
        let result = try body(ledger)
        if ledger.usage != stored { transaction.set(Keyspace.usage, ledger.usage) }
        return result
    }

    /// Promises room for a record that takes the place of another, in the order of the promises.
    func reserve(_ room: Usage, for recordName: String, replacing old: StoredRecord?) throws(CloudError) {
        let change = room + -(old?.usage ?? Usage())
        try quota.check(planned, adding: change, record: recordName)
        planned += change
    }

    /// Promises that a record will go.
    func release(_ record: StoredRecord) { planned += -record.usage }

    /// Counts what a record takes that was written in the place of another.
    func count(_ room: Usage, replacing old: StoredRecord?) { usage += room + -(old?.usage ?? Usage()) }

    /// Counts a record that was deleted.
    func countDeletion(of record: StoredRecord) { usage += -record.usage }

    /// Counts entries of the versions' range that are to be cleared.
    static func countClearing(of entries: [StoreEntry], in transaction: any WriteTransaction) throws {
        try keep(in: transaction, quota: Quota(database: .private)) { ledger in
            for entry in entries { ledger.usage += -(try usage(of: entry)) }
        }
    }

    /// What a database holds.
    static func usage(in transaction: any ReadTransaction) throws -> Usage {
        try transaction.value(at: Keyspace.usage) ?? count(in: transaction)
    }

    /// The count of a database that has none yet: of one that is new, or was written by a version that did not count.
    static func count(in transaction: any ReadTransaction) throws -> Usage {
        var usage = Usage()
        var rest = Keyspace.versions
        while true {
            let entries = try transaction.entries(in: rest, limit: step)
            for entry in entries { usage += try Self.usage(of: entry) }
            guard entries.count == step, let last = entries.last else { return usage }
            rest.lower = last.key.next
        }
    }

    /// What one entry of the versions' range takes.
    static func usage(of entry: StoreEntry) throws -> Usage {
        // The same at every version.
        try StoredRecord(stored: entry.value, version: 0).usage(storedSize: entry.value.count)
    }
}
