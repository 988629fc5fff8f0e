import StratusCloudModel
import StratusCloudStore

extension SortedWalk {
    // MARK: - By value

    mutating func walkValues(_ prefix: [SortComponent], from start: SortedPosition?) throws -> Bool {
        let sort = order.sorts[prefix.count]
        var range = bounds(of: sort.field)
        // Entries of one value are in the order of the names, which is the order wanted behind the last ascending key.
        let isInOrder = sort.ascending && prefix.count + 1 == order.sorts.count
        skip(to: start, level: prefix.count, isInOrder: isInOrder, in: &range)
        var chunk = firstChunk
        while !range.isEmpty {
            let entries = try reader.entries(in: range, limit: chunk, reverse: !sort.ascending)
            let isLast = entries.count < chunk
            var groups = try ValueGroup.groups(of: entries, field: sort.field)
            guard let end = groups.last, let last = entries.last else { return true }
            if isInOrder, !groups.contains(where: \.isAmbiguous) {
                guard try addGroups(groups, prefix, from: start, ascending: true) else { return false }
                if isLast { return true }
                if let name = end.records.last?.name {
                    frontier = SortedPosition(components: prefix + [.value(end.bytes)], tail: .after(name))
                }
                range.lower = last.key.next
            } else if groups.count == 1, !isLast {
                guard try walkGroup(end, prefix, from: start) else { return false }
                frontier = end.end(under: prefix, ascending: sort.ascending)
                restrict(&range, to: sort.ascending ? end.range.upper : end.range.lower, ascending: sort.ascending)
            } else {
                // The last group may go on behind what was read.
                if !isLast { groups.removeLast() }
                guard try addGroups(groups, prefix, from: start, ascending: sort.ascending) else { return false }
                if isLast { return true }
                restrict(&range, to: sort.ascending ? end.range.lower : end.range.upper, ascending: sort.ascending)
            }
            guard mayGoOn else { return false }
            chunk = min(2 * chunk, reader.work.keysPerRead)
        }
        return true
    }

    /// Leaves out what comes before a position, as far as keys tell.
    private func skip(to start: SortedPosition?, level: Int, isInOrder: Bool, in range: inout KeyRange) {
        let sort = order.sorts[level]
        guard let start, case .value(let bytes) = start.components[level] else { return }
        let group = factory.entries(of: bytes, in: sort.field)
        let isOneValue = sort.field.isRecordName || !IndexValue.isAmbiguous(bytes, of: sort.field.type.scalar)
        let isBehind = isOneValue && start.tail == .end && start.components.count == level + 1
        guard sort.ascending else {
            range.upper = min(range.upper, isBehind ? group.lower : group.upper)
            return
        }
        // Longer than any value is only a place behind all of the entries that it falls into.
        let isBehindAll = bytes.count > QueryLimits.sortedValueSize
        range.lower = max(range.lower, isBehind || isBehindAll ? group.upper : group.lower)
        if isInOrder, isOneValue, case .after(let name) = start.tail {
            let last = sort.field.isRecordName ? group.lower : Key(group.lower.bytes + name.utf8)
            range.lower = max(range.lower, last.next)
        }
    }

    func restrict(_ range: inout KeyRange, to key: Key, ascending: Bool) {
        if ascending { range.lower = key } else { range.upper = key }
    }

    /// The part of a field's index in which all records that satisfy the filters on that field are.
    func bounds(of field: QueryableField) -> KeyRange {
        var range = factory.everything(in: field)
        for filter in query.filters where filter.fields == [field] {
            for driver in factory.drivers(for: filter) where driver.tag == .index {
                guard let first = driver.ranges.first, let last = driver.ranges.last else {
                    return KeyRange(lower: range.lower, upper: range.lower)
                }
                range.lower = max(range.lower, first.lower)
                range.upper = min(range.upper, last.upper)
            }
        }
        return range
    }

    mutating func addGroups(
        _ groups: [ValueGroup], _ prefix: [SortComponent], from start: SortedPosition?, ascending: Bool
    ) throws -> Bool {
        var records: [IndexedRecord] = []
        for (index, group) in groups.enumerated() {
            records += group.records
            guard records.count >= reader.work.recordsPerFetch || index == groups.count - 1 else { continue }
            guard try add(records, under: prefix, from: start) else { return false }
            frontier = group.end(under: prefix, ascending: ascending)
            records.removeAll(keepingCapacity: true)
        }
        return true
    }

    /// Walks the records of one value, many of them.
    mutating func walkGroup(
        _ group: ValueGroup, _ prefix: [SortComponent], from start: SortedPosition?
    ) throws -> Bool {
        let level = prefix.count
        let component = SortComponent.value(group.bytes)
        let isOneValue = !group.isAmbiguous
        if isOneValue, level + 1 == order.sorts.count {
            return try walk(prefix + [component], from: start?.components[level] == component ? start : nil)
        }
        let limit = isOneValue ? reader.work.recordsSortedInMemory : reader.work.recordsOfOnePrefix
        if let entries = try allEntries(in: group.range, upTo: limit) {
            let records = try entries.compactMap { try IndexEntry($0, group.layout)?.record() }
            return try add(records, under: prefix, from: start)
        }
        guard isOneValue else {
            throw CloudError(
                .badRequest,
                "Cannot sort by field '\(order.sorts[level].field.name)': more than \(limit) records agree in its "
                    + "first \(QueryLimits.indexedValueSize) bytes")
        }
        return try walk(prefix + [component], from: start?.components[level] == component ? start : nil)
    }

    /// The entries of a range, or nil if there are more than `limit`.
    func allEntries(in range: KeyRange, upTo limit: Int) throws -> [StoreEntry]? {
        var range = range
        var all: [StoreEntry] = []
        while !range.isEmpty {
            let entries = try reader.entries(in: range, limit: reader.work.keysPerRead)
            all += entries
            if all.count > limit { return nil }
            guard entries.count == reader.work.keysPerRead, let last = entries.last else { break }
            range.lower = last.key.next
        }
        return all
    }
}
