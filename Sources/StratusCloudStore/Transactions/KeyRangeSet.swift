/// A set of keys given by ranges: disjoint, not empty, ascending.
struct KeyRangeSet: Sendable {
    private(set) var ranges: [KeyRange] = []

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ key: Key) -> Bool {
        guard !ranges.isEmpty else { return false }
        let index = partitionPoint(of: ranges.count) { ranges[$0].upper <= key }
        return index < ranges.count && ranges[index].lower <= key
    }

    /// Adds a range, joining it with those that it overlaps or touches.
    mutating func insert(_ range: KeyRange) {
        guard !range.isEmpty else { return }
        let first = partitionPoint(of: ranges.count) { ranges[$0].upper < range.lower }
        let end = partitionPoint(of: ranges.count) { ranges[$0].lower <= range.upper }
        guard first < end else {
            ranges.insert(range, at: first)
            return
        }
        let lower = min(range.lower, ranges[first].lower)
        let upper = max(range.upper, ranges[end - 1].upper)
        ranges.replaceSubrange(first..<end, with: [KeyRange(lower: lower, upper: upper)])
    }

    /// What of `range` is not in the set, ascending.
    func gaps(in range: KeyRange) -> [KeyRange] {
        guard !range.isEmpty else { return [] }
        var result: [KeyRange] = []
        var lower = range.lower
        var index = partitionPoint(of: ranges.count) { ranges[$0].upper <= range.lower }
        while index < ranges.count, ranges[index].lower < range.upper {
            if lower < ranges[index].lower { result.append(KeyRange(lower: lower, upper: ranges[index].lower)) }
            lower = ranges[index].upper
            index += 1
        }
        if lower < range.upper { result.append(KeyRange(lower: lower, upper: range.upper)) }
        return result
    }
}
