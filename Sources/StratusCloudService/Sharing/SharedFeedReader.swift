import StratusCloudModel
import StratusCloudStore

/// Reads a participant's page of somebody else's zone: one share after the other, first those that they see no more.
struct SharedFeedReader {
    let address: DatabaseAddress
    let view: ZoneView
    let access: SharedAccess
    let request: ZoneChangesRequest
    let limit: Int
    let transaction: any ReadTransaction
    private let desiredKeys: Set<String>?
    private let desiredTypes: Set<String>?
    private var told = 0
    private var beginning: SharedSyncToken.Beginning?

    init(
        _ address: DatabaseAddress, _ view: ZoneView, _ access: SharedAccess, _ request: ZoneChangesRequest, limit: Int,
        in transaction: any ReadTransaction
    ) {
        self.address = address
        self.view = view
        self.access = access
        self.request = request
        self.limit = limit
        self.transaction = transaction
        desiredKeys = request.desiredKeys.map(Set.init)
        desiredTypes = request.desiredRecordTypes.map(Set.init)
    }

    private var zone: ZoneNumber { view.number }

    /// What there was and what there is must be of one kind, and nothing of it forgotten.
    /// - Throws: ``SyncToken/expired`` if the feed cannot go on from a token.
    func check(_ token: SharedSyncToken, _ counters: DatabaseCounters) throws {
        guard token.zone == zone, token.whole == access.whole,
            try counters.includes(token.history, at: token.change, in: transaction),
            token.positions.values.allSatisfy({ $0.isWithin(view.header.version) })
        else { throw SyncToken.expired }
        for (number, position) in token.positions {
            guard let share: StoredShare = try transaction.value(at: Keyspace.share(zone: zone, number)),
                position.toleratesPurge(of: number == access.whole ? view.header.purgedVersion : share.purgedVersion)
            else { throw SyncToken.expired }
        }
    }

    /// Tells the page.
    /// - Parameter token: where the participant is; is moved to the end of the page.
    /// - Returns: whether all is told, and whether it began with the latest.
    mutating func tell(
        _ receiver: inout some ZoneChangesReceiver, _ token: inout SharedSyncToken, _ budget: inout FeedBudget
    ) throws -> (isFinished: Bool, isReverse: Bool) {
        let top = view.header.version
        var isReverse = false
        token.begin(at: top)
        beginning = token.beginning
        for number in token.positions.keys.sorted() where access.grants[number] == nil {
            guard try tellEnding(of: number, &token, &receiver, &budget) else { return (false, request.reverse) }
        }
        for number in access.grants.keys.sorted() {
            var walk = FeedWalk(
                from: token.positions[number] ?? .beginning(of: top), to: top, reverse: request.reverse)
            isReverse = isReverse || walk.isReverse
            defer { token.positions[number] = walk.position }
            if number == access.whole {
                var reader = ZoneFeedReader(
                    zoneID: address.zoneID, header: view.header, limit: limit, desiredKeys: request.desiredKeys,
                    desiredTypes: request.desiredRecordTypes, in: transaction)
                reader.showing = showing
                try reader.tell(&receiver, &walk, &budget)
            } else {
                try tell(number, &walk, &receiver, &budget)
            }
            guard walk.isFinished else {
                // Later shares wait, but are known to have begun.
                return (false, isReverse)
            }
        }
        token.beginning = nil
        return (true, isReverse)
    }

    private var showing: RecordShowing {
        RecordShowing(
            zoneID: address.zoneID, view: view, viewer: access.user, transaction: transaction)
    }

    private func isFull(_ budget: FeedBudget) -> Bool { told >= limit || budget.isSpent }

    // MARK: - A share that is seen

    private mutating func tell(
        _ number: ShareNumber, _ walk: inout FeedWalk, _ receiver: inout some ZoneChangesReceiver,
        _ budget: inout FeedBudget
    ) throws {
        let feed = ChangeFeed(ofShare: number, in: zone)
        while !walk.isFinished {
            if isFull(budget) { return }
            let step = limit - told + 1
            let entries = try feed.entries(walk.rest, limit: step, in: transaction)
            let changes = try entries.map { try ShareFeedEntry(stored: $0.value) }
            let present = zip(entries, changes).filter { !$0.0.isGone }.map { $0.1.recordName }
            var rows = try transaction.recordRows(present, in: zone).makeIterator()
            let gone = zip(entries, changes).filter { $0.0.isGone }.map { $0.1.recordName }
            var elsewhere = try view.isVisible(gone, in: transaction).makeIterator()
            for (entry, change) in zip(entries, changes) {
                let row = entry.isGone ? nil : rows.next() ?? nil
                let isElsewhere = entry.isGone && elsewhere.next() ?? false
                if isFull(budget) { return }
                if let row {
                    try tell(row, &receiver)
                    budget.spend(row.bytes.count)
                } else if entry.isGone, !isElsewhere, wants(change.recordType),
                    try !isTold(change, before: entry.version)
                {
                    // What went to another share that is seen is told there.
                    receiver.deleted(recordName: change.recordName, recordType: change.recordType)
                    told += 1
                    budget.spend(entry.value.count)
                }
                walk.pass(entry.version)
            }
            if entries.count < step { walk.finish() }
        }
    }

    private mutating func tell(_ row: RecordRow, _ receiver: inout some ZoneChangesReceiver) throws {
        let record = try row.packedRecord(in: address.zoneID)
        guard wants(record.recordType) else { return }
        try receiver.saved(AnsweredRecord(try showing.shown(record).keepingFields(desiredKeys.map(Array.init))))
        told += 1
    }

    private func wants(_ recordType: String) -> Bool { desiredTypes?.contains(recordType) ?? true }

    /// Whether this page, or another since the client knew all, tells of an earlier time that a record left: this share, or
    /// another one. What happens while pages are told is told for itself.
    /// - Parameter version: when it left; nil of what is listed in a share that is over, from which nothing leaves.
    private func isTold(_ change: ShareFeedEntry, before version: UInt64?) throws -> Bool {
        guard let beginning, version ?? 0 <= beginning.top, let known = beginning.known.values.min() else {
            return false
        }
        let end = version ?? beginning.top + 1
        return try transaction.shareDepartures(of: change.recordName, in: zone, after: known, before: end)
            .contains { departure in
                guard let known = beginning.known[departure.share], departure.version > known,
                    wants(departure.recordType)
                else { return false }
                return access.grants[departure.share] != nil || departure.joined <= known
            }
    }

    // MARK: - A share that is seen no more

    /// Tells as deleted what the token knew of a share.
    /// - Returns: whether that is all.
    private mutating func tellEnding(
        of number: ShareNumber, _ token: inout SharedSyncToken, _ receiver: inout some ZoneChangesReceiver,
        _ budget: inout FeedBudget
    ) throws -> Bool {
        guard let position = token.positions[number] else { return true }
        // Of a walk that was broken off, all that may have been told counts.
        let known = position.walk?.top ?? max(position.known, position.start)
        let feed = ChangeFeed(ofShare: number, in: zone)
        while true {
            if isFull(budget) { return false }
            let step = limit - told + 1
            let span = FeedSpan(lower: token.endings[number] ?? 0, upper: view.header.version)
            let entries = try feed.entries(span, limit: step, in: transaction)
            let changes = try entries.map { try ShareFeedEntry(stored: $0.value) }
            let visible = try view.isVisible(changes.map(\.recordName), in: transaction)
            for (index, entry) in entries.enumerated() {
                if isFull(budget) { return false }
                token.endings[number] = entry.version
                let change = changes[index]
                // What came later, or left when the token knew of it, was never heard of, or is gone already.
                guard change.joined <= known, !entry.isGone || entry.version > max(position.known, position.start),
                    !visible[index], wants(change.recordType),
                    try !isTold(change, before: entry.isGone ? entry.version : nil)
                else { continue }
                receiver.deleted(recordName: change.recordName, recordType: change.recordType)
                told += 1
                budget.spend(entry.value.count)
            }
            guard entries.count == step else { break }
        }
        token.positions[number] = nil
        token.endings[number] = nil
        return true
    }
}

/// A record that is there as a value.
struct AnsweredRecord: PackedRecord {
    private let value: Record
    private let box: RecordHeadBox

    init(_ record: Record) {
        value = record
        box = RecordHeadBox(record)
    }

    var head: RecordHead { box.head }
    func visitFields(_ visitor: inout some FieldVisitor) throws { value.fields.visit(&visitor) }
    func record() throws -> Record { value }
}

/// Keeps the texts of a head where it can point to them.
private final class RecordHeadBox {
    let head: RecordHead
    private let texts: [UnsafeMutableBufferPointer<UInt8>]

    init(_ record: Record) {
        var texts: [UnsafeMutableBufferPointer<UInt8>] = []
        func kept(_ text: String) -> RecordHead.Text {
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
            _ = buffer.initialize(from: text.utf8)
            texts.append(buffer)
            return RecordHead.Text(buffer)
        }
        func stamp(_ stamp: RecordStamp) -> RecordHead.Stamp {
            RecordHead.Stamp(
                timestamp: stamp.timestamp, userRecordName: kept(stamp.userRecordName), deviceID: kept(stamp.deviceID))
        }
        head = RecordHead(
            recordName: kept(record.recordName), recordType: kept(record.recordType), zoneID: record.zoneID,
            recordChangeTag: record.recordChangeTag, created: stamp(record.created), modified: stamp(record.modified),
            links: RecordHead.Links.unlessEmpty(
                parent: record.parent, share: record.share, shortGUID: record.shortGUID,
                shareDetails: record.shareDetails))
        self.texts = texts
    }

    deinit { for text in texts { text.deallocate() } }
}
