import StratusCloudModel
import StratusCloudStore

/// A place between the records of all zones in a sorted answer.
struct MergedPosition: Hashable, Sendable {
    var position: SortedPosition
    /// For places behind a record: its zone. Of records that compare equal, the zone's number decides.
    var zone: ZoneNumber

    /// The place as one zone sees it.
    func seen(from other: ZoneNumber) -> SortedPosition {
        guard case .after = position.tail, other != zone else { return position }
        return SortedPosition(components: position.components, tail: other < zone ? .end : .start)
    }

    func precedes(_ other: MergedPosition, in order: SortOrder) -> Bool {
        let difference = order.compare(position.components, other.position.components)
        if difference != 0 { return difference < 0 }
        let (count, otherCount) = (position.components.count, other.position.components.count)
        if count != otherCount {
            // The shorter one stands before or behind all that begin with its components.
            return count < otherCount ? position.tail == .start : other.position.tail == .end
        }
        switch (position.tail, other.position.tail) {
        case (.start, let tail): return tail != .start
        case (_, .start), (.end, _): return false
        case (.after, .end): return true
        case (.after(let name), .after(let otherName)):
            return zone == other.zone ? ByteOrder.precedes(name, otherName) : zone < other.zone
        }
    }
}

/// Merges the sorted records of several zones into one page.
struct ZoneMerge {
    private struct Source {
        let zone: QueryZone
        /// Found and not yet taken, in order.
        var found: ArraySlice<SortedRecord> = []
        /// Where the next walk begins; nil at the very start.
        var frontier: SortedPosition?
        var isComplete = false
        /// Whether it may not read more in this page, so that nothing behind its frontier is known.
        var isSpent = false
    }

    private let input: QueryInput
    private let reader: QueryReader
    private let order: SortOrder
    private var sources: [Source]
    private let start: MergedPosition?

    private(set) var records: [(zone: QueryZone, record: FoundRecord)] = []
    /// How the first zone found its records; the next page does the same.
    private(set) var strategy: SortedWalk.Strategy
    private let given: SortedWalk.Strategy

    init(_ input: QueryInput, from start: MergedPosition?, _ strategy: SortedWalk.Strategy, _ reader: QueryReader) {
        self.input = input
        self.start = start
        self.strategy = strategy
        self.reader = reader
        given = strategy
        order = SortOrder(sorts: input.query.sorts)
        sources = input.zones.map { zone in Source(zone: zone, frontier: start?.seen(from: zone.number)) }
    }

    /// Fills the page. Returns where the next one begins, or nil if there is nothing more.
    mutating func run() throws -> MergedPosition? {
        var last = start
        var size = 0
        while true {
            for index in sources.indices { try refill(index) }
            guard let index = nearest else { return remainder(after: last) }
            if records.count == input.limit { return last }
            guard let head = sources[index].found.popFirst() else { return last }
            records.append((sources[index].zone, head.record))
            last = MergedPosition(position: head.position, zone: sources[index].zone.number)
            size += head.record.size
            if size >= reader.work.bytesPerPage { return last }
        }
    }

    /// The source with the first record, unless a record not yet found might come before it.
    private var nearest: Int? {
        var best: Int?
        for index in sources.indices {
            guard let head = sources[index].found.first else { continue }
            if let known = best, let other = sources[known].found.first {
                // Among equals the smaller zone number, which comes first in the list.
                if order.compare(head.components, other.components) >= 0 { continue }
            }
            best = index
        }
        guard let best, let head = sources[best].found.first else { return nil }
        let isCertain = sources.allSatisfy { source in
            guard source.isSpent, source.found.isEmpty, !source.isComplete else { return true }
            return isBefore(head, in: sources[best].zone, everythingBehind: source)
        }
        return isCertain ? best : nil
    }

    private func isBefore(_ head: SortedRecord, in zone: QueryZone, everythingBehind source: Source) -> Bool {
        guard let frontier = source.frontier else { return false }
        let difference = order.compare(head.components, frontier.components)
        if difference != 0 { return difference < 0 }
        if frontier.tail == .end { return true }
        return frontier.components.count == order.sorts.count && zone.number < source.zone.number
    }

    private mutating func refill(_ index: Int) throws {
        let source = sources[index]
        guard source.found.isEmpty, !source.isComplete, !source.isSpent else { return }
        let count = sources.count
        let missing = input.limit + 1 - records.count
        var walk = SortedWalk(
            input.query, in: source.zone, from: source.frontier,
            wanted: count == 1 ? missing : min(missing, max(16, 2 * missing / count)), reader: reader)
        let used = try walk.run(
            given == .choose && index > 0 ? strategy : given,
            keys: max(reader.work.leastKeysPerZone, reader.work.keysPerPage / count),
            records: max(reader.work.leastKeysPerZone, reader.work.recordsPerPage / count))
        if index == 0 { strategy = used }
        sources[index].found = walk.records[...]
        sources[index].frontier = walk.frontier
        sources[index].isComplete = walk.isComplete
        let hasStopped = walk.records.isEmpty && !walk.isComplete
        let isPageSpent =
            reader.keysRead >= reader.work.keysPerPage
            || reader.recordsRead >= reader.work.recordsPerPage
        sources[index].isSpent = hasStopped || isPageSpent
    }

    /// Where the page ends when some zones may not read more: all records before are in it.
    private func remainder(after last: MergedPosition?) -> MergedPosition? {
        let open = sources.filter { !$0.isComplete || !$0.found.isEmpty }
        guard !open.isEmpty else { return nil }
        var first: MergedPosition?
        for source in open where source.found.isEmpty {
            guard let frontier = source.frontier else { continue }
            let place = MergedPosition(position: frontier, zone: source.zone.number)
            if let known = first, !place.precedes(known, in: order) { continue }
            first = place
        }
        guard let first else { return last }
        guard let last else { return first }
        return last.precedes(first, in: order) ? first : last
    }
}
