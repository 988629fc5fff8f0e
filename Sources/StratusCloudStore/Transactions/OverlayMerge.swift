/// Entries of a range in order, from an overlay and from what lies below it.
struct OverlayMerge {
    /// Entries asked from below at once beyond those wanted, at most, because the overlay may hide some.
    private static var mostSpares: Int { 128 }
    private static var largestBatch: Int { 65_536 }

    private let overlay: WriteOverlay
    private let base: any ReadTransaction
    private let reverse: Bool
    /// What the overlay still has to give.
    private var writes: Range<SortedMap<[UInt8]?>.Index>
    /// What is still to be asked from below; the next one last.
    private var gaps: [KeyRange]
    /// What came from below and was not given yet; the next one last.
    private var buffer: [StoreEntry] = []

    init(overlay: WriteOverlay, base: any ReadTransaction, range: KeyRange, reverse: Bool) {
        self.overlay = overlay
        self.base = base
        self.reverse = reverse
        writes = overlay.writes.indices(in: range)
        gaps = overlay.cleared.gaps(in: range)
        if !reverse { gaps.reverse() }
    }

    mutating func take(_ limit: Int) throws -> [StoreEntry] {
        var result: [StoreEntry] = []
        while result.count < limit {
            try fill(wanted: limit - result.count)
            guard let write = nextWrite else {
                guard let below = buffer.popLast() else { break }
                result.append(below)
                continue
            }
            if let below = buffer.last, below.key != write.key, (below.key < write.key) != reverse {
                result.append(below)
                buffer.removeLast()
                continue
            }
            if buffer.last?.key == write.key { buffer.removeLast() }
            dropWrite()
            if let value = write.value { result.append(StoreEntry(key: write.key, value: value)) }
        }
        return result
    }

    private var nextWrite: (key: Key, value: [UInt8]?)? {
        guard !writes.isEmpty else { return nil }
        return overlay.writes[reverse ? overlay.writes.index(before: writes.upperBound) : writes.lowerBound]
    }

    private mutating func dropWrite() {
        if reverse {
            writes = writes.lowerBound..<overlay.writes.index(before: writes.upperBound)
        } else {
            writes = overlay.writes.index(after: writes.lowerBound)..<writes.upperBound
        }
    }

    /// Asks below until something is in the buffer or nothing is left.
    private mutating func fill(wanted: Int) throws {
        while buffer.isEmpty, let gap = gaps.popLast() {
            let limit = min(wanted, Self.largestBatch) + spares
            let found = try base.entries(in: gap, limit: limit, reverse: reverse)
            if found.count == limit, let last = found.last {
                let rest = KeyRange(
                    lower: reverse ? gap.lower : last.key.next, upper: reverse ? last.key : gap.upper)
                if !rest.isEmpty { gaps.append(rest) }
            }
            buffer = found.reversed()
        }
    }

    /// Each write that is left hides at most one entry below.
    private var spares: Int {
        var (count, index) = (0, writes.lowerBound)
        while index != writes.upperBound, count < Self.mostSpares {
            index = overlay.writes.index(after: index)
            count += 1
        }
        return count
    }
}
