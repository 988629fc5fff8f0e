import StratusCloudModel
import StratusCloudStore

/// What one feed request may still read. Pages end when it is spent, and say that there is more.
struct FeedBudget {
    private var records = ServiceLimits.recordsPerFeedRequest
    private var bytes = ServiceLimits.feedRequestSize

    var isSpent: Bool { records <= 0 || bytes <= 0 }

    mutating func spend(_ size: Int) {
        records -= 1
        bytes -= size
    }
}

/// Reads one zone's page in a transaction.
struct ZoneFeedReader {
    let zoneID: ZoneID
    let header: ZoneHeader
    let limit: Int
    /// nil wants all.
    let desiredKeys: Set<String>?
    /// nil wants all.
    let desiredTypes: Set<String>?
    let transaction: any ReadTransaction
    /// Shows records that are not told as they are stored.
    var showing: RecordShowing?
    /// What the caller may read; nil where that is everything.
    var access: ReadAccess?
    /// Changes told so far.
    private var told = 0

    init(
        zoneID: ZoneID, header: ZoneHeader, limit: Int, desiredKeys: [String]?, desiredTypes: [String]?,
        in transaction: any ReadTransaction
    ) {
        self.zoneID = zoneID
        self.header = header
        self.limit = limit
        self.desiredKeys = desiredKeys.map(Set.init)
        self.desiredTypes = desiredTypes.map(Set.init)
        self.transaction = transaction
    }

    /// Tells the page from where `walk` is, which is moved to its end.
    mutating func tell(
        _ receiver: inout some ZoneChangesReceiver, _ walk: inout FeedWalk, _ budget: inout FeedBudget
    ) throws {
        while !walk.isFinished, !budget.isSpent, try tellSome(&receiver, &walk, &budget) {}
    }

    /// What is told in one go: deletions that were read before, and records as they are read.
    private struct Part {
        let gone: [ChangeFeed.Entry]
        let step: Int
        var nextGone = 0
        var isFull = false

        /// Whether there may be more that is gone than was read.
        var isCut: Bool { nextGone == step }
    }

    /// Tells a part of the page.
    /// - Returns: whether to go on.
    private mutating func tellSome(
        _ receiver: inout some ZoneChangesReceiver, _ walk: inout FeedWalk, _ budget: inout FeedBudget
    ) throws -> Bool {
        let feed = ChangeFeed(of: header.number)
        let span = walk.rest
        // One more than wanted tells whether there is more.
        let step = limit - told + 1
        var part = Part(gone: try feed.gone(span, limit: step, in: transaction), step: step)
        let found = try feed.forEachPresent(span, limit: step, in: transaction) { version, bytes in
            if part.nextGone < part.gone.count {
                try tellGone(before: version, of: &part, span.reverse, &receiver, &walk, &budget)
            }
            if part.isCut { return false }
            part.isFull = part.isFull || told == limit || budget.isSpent
            if part.isFull { return false }
            try tell(present: bytes, version, &receiver)
            budget.spend(bytes.count)
            walk.pass(version)
            return true
        }
        if part.isFull { return false }
        if part.isCut || found == step { return true }
        try tellGone(before: nil, of: &part, span.reverse, &receiver, &walk, &budget)
        if part.isFull { return false }
        if part.isCut { return true }
        walk.finish()
        return false
    }

    /// Tells what is gone and comes before a version.
    private mutating func tellGone(
        before version: UInt64?, of part: inout Part, _ reverse: Bool, _ receiver: inout some ZoneChangesReceiver,
        _ walk: inout FeedWalk, _ budget: inout FeedBudget
    ) throws {
        while !part.isFull, part.nextGone < part.gone.count {
            let entry = part.gone[part.nextGone]
            if let version, (entry.version < version) == reverse { return }
            part.isFull = told == limit || budget.isSpent
            if part.isFull { return }
            part.nextGone += 1
            try tell(gone: entry.value, &receiver, &budget)
            budget.spend(entry.value.count)
            walk.pass(entry.version)
        }
    }

    private mutating func tell(
        present bytes: UnsafeRawBufferPointer, _ version: UInt64, _ receiver: inout some ZoneChangesReceiver
    ) throws {
        let record = try StoredRecordView(stored: bytes, version: version, zoneID: zoneID, wanted: desiredKeys)
        guard isWanted(record) else { return }
        if let showing, showing.concerns(record) {
            try receiver.saved(AnsweredRecord(try showing.shown(try record.record())))
        } else {
            try receiver.saved(record)
        }
        told += 1
    }

    private mutating func tell(
        gone bytes: [UInt8], _ receiver: inout some ZoneChangesReceiver, _ budget: inout FeedBudget
    ) throws {
        let tombstone = try TombstoneEntry(stored: bytes)
        guard wants(tombstone.recordType) else { return }
        if let access {
            guard access.shows(tombstone), try !hasWantedRecord(tombstone.recordName, &budget) else { return }
        }
        // Who wants all types, or the present one, hears of what stands under the name now.
        if tombstone.isReplaced {
            guard desiredTypes != nil, !wants(try presentType(of: tombstone.recordName)) else { return }
        }
        receiver.deleted(recordName: tombstone.recordName, recordType: tombstone.recordType)
        told += 1
    }

    private func isWanted(_ record: StoredRecordView) -> Bool {
        if desiredTypes != nil, !wants(record.recordType) { return false }
        return access?.shows(record.head) ?? true
    }

    /// Whether a name that was deleted stands for a record again, which the feed tells at its own version.
    private func hasWantedRecord(_ name: String, _ budget: inout FeedBudget) throws -> Bool {
        guard let version = try transaction.nameEntries([name], in: header.number)[0]?.version else { return false }
        guard let bytes = try transaction.get(Keyspace.version(zone: header.number, version)) else {
            throw ByteReader.Malformed()
        }
        budget.spend(bytes.count)
        return try bytes.withUnsafeBytes { bytes in
            isWanted(try StoredRecordView(stored: bytes, version: version, zoneID: zoneID))
        }
    }

    private func wants(_ recordType: String) -> Bool { desiredTypes?.contains(recordType) ?? true }

    /// The type of what stands under a name, also if that is deleted.
    private func presentType(of name: String) throws -> String {
        let entries = try transaction.nameEntries([name], in: header.number)
        if case .deleted(let tombstone)? = entries[0] { return tombstone.recordType }
        guard let row = try transaction.recordRows(of: entries, in: header.number)[0] else {
            throw ByteReader.Malformed()
        }
        return try StoredRecord.recordType(stored: row.bytes)
    }
}
