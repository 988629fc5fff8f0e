import CloudModel
import CloudStore

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

    /// Tells a part of the page.
    /// - Returns: whether to go on.
    private mutating func tellSome(
        _ receiver: inout some ZoneChangesReceiver, _ walk: inout FeedWalk, _ budget: inout FeedBudget
    ) throws -> Bool {
        let feed = ChangeFeed(of: header.number)
        let span = walk.rest
        // One more than wanted tells whether there is more.
        let step = limit - told + 1
        let gone = try feed.gone(span, limit: step, in: transaction)
        var nextGone = 0
        var isFull = false
        /// Tells what is gone and comes before a version.
        func tellGone(before version: UInt64?) throws {
            while !isFull, nextGone < gone.count {
                let entry = gone[nextGone]
                if let version, (entry.version < version) == span.reverse { return }
                isFull = told == limit || budget.isSpent
                if isFull { return }
                nextGone += 1
                try tell(gone: entry.value, &receiver)
                budget.spend(entry.value.count)
                walk.pass(entry.version)
            }
        }
        /// Whether there may be more that is gone than was read.
        func isCut() -> Bool { nextGone == step }

        let found = try feed.forEachPresent(span, limit: step, in: transaction) { version, bytes in
            try tellGone(before: version)
            if isCut() { return false }
            isFull = isFull || told == limit || budget.isSpent
            if isFull { return false }
            try tell(present: bytes, version, &receiver)
            budget.spend(bytes.count)
            walk.pass(version)
            return true
        }
        if isFull { return false }
        if isCut() || found == step { return true }
        try tellGone(before: nil)
        if isFull { return false }
        if isCut() { return true }
        walk.finish()
        return false
    }

    private mutating func tell(
        present bytes: UnsafeRawBufferPointer, _ version: UInt64, _ receiver: inout some ZoneChangesReceiver
    ) throws {
        let record = try StoredRecordView(stored: bytes, version: version, zoneID: zoneID, wanted: desiredKeys)
        if desiredTypes != nil, !wants(record.recordType) { return }
        if let showing, showing.concerns(record.recordType, share: record.head.share) {
            try receiver.saved(AnsweredRecord(try showing.shown(try record.record())))
        } else {
            try receiver.saved(record)
        }
        told += 1
    }

    private mutating func tell(gone bytes: [UInt8], _ receiver: inout some ZoneChangesReceiver) throws {
        let tombstone = try TombstoneEntry(stored: bytes)
        guard wants(tombstone.recordType) else { return }
        // Who wants all types, or the present one, hears of what stands under the name now.
        if tombstone.isReplaced {
            guard desiredTypes != nil, !wants(try presentType(of: tombstone.recordName)) else { return }
        }
        receiver.deleted(recordName: tombstone.recordName, recordType: tombstone.recordType)
        told += 1
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
