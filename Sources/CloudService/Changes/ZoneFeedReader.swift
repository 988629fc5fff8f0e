import CloudModel
import CloudStore

/// What one feed request may still read. Pages end when it is spent, and say that there is more.
struct FeedBudget {
    private var records = ServiceLimits.recordsPerFeedRequest
    private var bytes = ServiceLimits.feedRequestSize
    private var recordsRead = 0
    private var bytesRead = 0

    var isSpent: Bool { records <= 0 || bytes <= 0 }

    /// How many records to read at once: as many as fit, going by those read so far.
    var step: Int {
        guard recordsRead > 0 else { return ServiceLimits.firstFeedStep }
        let size = max(1, bytesRead / recordsRead)
        return max(1, min(records, bytes / size))
    }

    mutating func spend(_ size: Int) {
        records -= 1
        bytes -= size
        recordsRead += 1
        bytesRead += size
    }
}

/// Reads one zone's page in a transaction.
struct ZoneFeedReader {
    let zoneID: ZoneID
    let header: ZoneHeader
    let limit: Int
    let desiredKeys: [String]?
    /// nil wants all.
    let desiredTypes: Set<String>?
    let transaction: any ReadTransaction

    /// The page from where `walk` is, which is moved to its end.
    func changes(_ walk: inout FeedWalk, _ budget: inout FeedBudget) throws -> [RecordChange] {
        let feed = ChangeFeed(of: header.number)
        var unpacker = RecordUnpacker(zoneID: zoneID)
        var changes: [RecordChange] = []
        while !walk.isFinished, !budget.isSpent {
            let wanted = limit - changes.count
            // One more than wanted tells whether there is more.
            let step = min(wanted + 1, budget.step)
            let entries = try walk.entries(of: feed, limit: step, in: transaction)
            for entry in entries.prefix(wanted) {
                budget.spend(entry.value.count)
                if let change = try change(entry, &unpacker) { changes.append(change) }
                walk.pass(entry.version)
            }
            if entries.count < step {
                walk.finish()
                break
            }
            // Full, and there is more. Otherwise some were not wanted, or it is not known yet.
            if changes.count == limit, entries.count > wanted { break }
        }
        return changes
    }

    /// What an entry tells; nil if that is not wanted.
    private func change(_ entry: ChangeFeed.Entry, _ unpacker: inout RecordUnpacker) throws -> RecordChange? {
        guard entry.isGone else {
            let record = try unpacker.record(stored: entry.value, version: entry.version)
            return wants(record.recordType) ? .saved(record.keepingFields(desiredKeys)) : nil
        }
        let tombstone = try TombstoneEntry(stored: entry.value)
        guard wants(tombstone.recordType) else { return nil }
        // Who wants all types, or the present one, hears of what stands under the name now.
        if tombstone.isReplaced {
            guard desiredTypes != nil, !wants(try presentType(of: tombstone.recordName)) else { return nil }
        }
        return .deleted(recordName: tombstone.recordName, recordType: tombstone.recordType, zoneID: zoneID)
    }

    private func wants(_ recordType: String) -> Bool { desiredTypes?.contains(recordType) ?? true }

    /// The type of what stands under a name, also if that is deleted.
    private func presentType(of name: String) throws -> String {
        let entries = try transaction.nameEntries(CollectionOfOne(name), in: header.number)
        if case .deleted(let tombstone)? = entries[0] { return tombstone.recordType }
        guard let row = try transaction.recordRows(of: entries, in: header.number)[0] else {
            throw ByteReader.Malformed()
        }
        return try StoredRecord.recordType(stored: row.bytes)
    }
}
