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
        var changes: [RecordChange] = []
        while changes.count < limit, !walk.isFinished, !budget.isSpent {
            let wanted = limit - changes.count
            // One more than wanted tells whether there is more.
            let entries = try walk.entries(of: feed, limit: wanted + 1, in: transaction)
            var rest = entries.prefix(wanted)
            while !rest.isEmpty, !budget.isSpent {
                let step = rest.prefix(budget.step)
                rest = rest.dropFirst(step.count)
                try read(step, into: &changes, &budget)
                if let last = step.last { walk.pass(last.version) }
            }
            guard rest.isEmpty else { break }
            if entries.count <= wanted {
                walk.finish()
                break
            }
        }
        return changes
    }

    private func read(
        _ entries: ArraySlice<ChangeFeed.Entry>, into changes: inout [RecordChange], _ budget: inout FeedBudget
    ) throws {
        let items = try entries.map { try Item($0, wanted: desiredTypes) }
        let keys = items.compactMap { item in
            item.recordName.map { Keyspace.record(zone: header.number, name: $0) }
        }
        var stored = try transaction.get(keys).makeIterator()
        for item in items {
            guard let name = item.recordName else {
                budget.spend(item.size)
                if let tombstone = item.tombstone, wants(tombstone.recordType) { changes.append(deletion(tombstone)) }
                continue
            }
            guard let bytes = stored.next() ?? nil else { throw ByteReader.Malformed() }
            budget.spend(bytes.count)
            try add(item, try RecordSlot(stored: bytes, recordName: name), to: &changes)
        }
    }

    private func add(_ item: Item, _ slot: RecordSlot, to changes: inout [RecordChange]) throws {
        if let tombstone = item.tombstone {
            if !wants(slot.recordType) { changes.append(deletion(tombstone)) }
            return
        }
        guard let record = slot.live, record.version == item.version else { throw ByteReader.Malformed() }
        if wants(record.recordType) {
            changes.append(.saved(record.record(in: zoneID).keepingFields(desiredKeys)))
        }
    }

    private func wants(_ recordType: String) -> Bool { desiredTypes?.contains(recordType) ?? true }

    private func deletion(_ tombstone: TombstoneEntry) -> RecordChange {
        .deleted(recordName: tombstone.recordName, recordType: tombstone.recordType, zoneID: zoneID)
    }
}

/// An entry of a zone's feed, and what must be looked up to tell it.
private struct Item {
    let version: UInt64
    /// Bytes of the entry.
    let size: Int
    /// nil for what is there, and for what is not to be told.
    let tombstone: TombstoneEntry?
    /// The record that must be read; nil where the entry says all.
    let recordName: String?

    init(_ entry: ChangeFeed.Entry, wanted: Set<String>?) throws {
        version = entry.version
        size = entry.value.count
        guard entry.isGone else {
            tombstone = nil
            recordName = String(decoding: entry.value, as: UTF8.self)
            return
        }
        let stored = try TombstoneEntry(stored: entry.value)
        // Who wants all types hears of the record that is there now.
        let isTold = !stored.isReplaced || wanted?.contains(stored.recordType) ?? false
        tombstone = isTold ? stored : nil
        recordName = isTold && stored.isReplaced ? stored.recordName : nil
    }
}

extension RecordSlot {
    fileprivate var recordType: String {
        switch self {
        case .live(let record): record.recordType
        case .deleted(let tombstone): tombstone.recordType
        }
    }
}
