/// Values by key, in ascending order of the keys.
///
/// Keys and values lie in chunks of bounded size, so that an insertion moves little, and a copy shares every chunk that
/// neither side changes afterwards. Good for millions of entries.
struct SortedMap<Value> {
    /// Where an entry is. Valid until the next mutation.
    struct Index: Hashable, Comparable {
        var chunk: Int
        var offset: Int

        static func < (left: Index, right: Index) -> Bool {
            (left.chunk, left.offset) < (right.chunk, right.offset)
        }
    }

    /// Between 1 and ``chunkLimit`` entries, keys ascending.
    fileprivate struct Chunk {
        var keys: [Key]
        var values: [Value]
    }

    private static var chunkLimit: Int { 256 }

    private var chunks: [Chunk] = []
    private(set) var count = 0

    init() {}

    subscript(key: Key) -> Value? {
        let index = lowerBound(key)
        guard index != endIndex, chunks[index.chunk].keys[index.offset] == key else { return nil }
        return chunks[index.chunk].values[index.offset]
    }

    /// The first entry whose key is `key` or greater.
    func lowerBound(_ key: Key) -> Index {
        let chunk = partitionPoint(of: chunks.count) { chunks[$0].keys[chunks[$0].keys.count - 1] < key }
        guard chunk < chunks.count else { return endIndex }
        let keys = chunks[chunk].keys
        return Index(chunk: chunk, offset: partitionPoint(of: keys.count) { keys[$0] < key })
    }

    /// The entries of a range.
    func indices(in range: KeyRange) -> Range<Index> {
        guard !range.isEmpty else { return endIndex..<endIndex }
        return lowerBound(range.lower)..<lowerBound(range.upper)
    }

    mutating func set(_ key: Key, _ value: Value) {
        var index = lowerBound(key)
        if index != endIndex, chunks[index.chunk].keys[index.offset] == key {
            chunks[index.chunk].values[index.offset] = value
            return
        }
        count += 1
        if index == endIndex {
            // Behind everything: keys that come in order fill chunk after chunk.
            guard let last = chunks.indices.last, chunks[last].keys.count < Self.chunkLimit else {
                chunks.append(Chunk(keys: [key], values: [value]))
                return
            }
            index = Index(chunk: last, offset: chunks[last].keys.count)
        } else if chunks[index.chunk].keys.count == Self.chunkLimit {
            index = split(at: index)
        }
        chunks[index.chunk].keys.insert(key, at: index.offset)
        chunks[index.chunk].values.insert(value, at: index.offset)
    }

    mutating func remove(_ key: Key) {
        let index = lowerBound(key)
        guard index != endIndex, chunks[index.chunk].keys[index.offset] == key else { return }
        count -= 1
        chunks[index.chunk].keys.remove(at: index.offset)
        chunks[index.chunk].values.remove(at: index.offset)
        if chunks[index.chunk].keys.isEmpty { chunks.remove(at: index.chunk) }
    }

    mutating func remove(_ range: KeyRange) {
        let doomed = indices(in: range)
        guard !doomed.isEmpty else { return }
        let (first, last) = (doomed.lowerBound, doomed.upperBound)
        if first.chunk == last.chunk {
            removeFromChunk(first.chunk, first.offset..<last.offset)
        } else {
            if last.chunk < chunks.count { removeFromChunk(last.chunk, 0..<last.offset) }
            for chunk in (first.chunk + 1)..<last.chunk { count -= chunks[chunk].keys.count }
            chunks.removeSubrange((first.chunk + 1)..<last.chunk)
            removeFromChunk(first.chunk, first.offset..<chunks[first.chunk].keys.count)
        }
        if chunks[first.chunk].keys.isEmpty { chunks.remove(at: first.chunk) }
    }

    private mutating func removeFromChunk(_ chunk: Int, _ offsets: Range<Int>) {
        count -= offsets.count
        chunks[chunk].keys.removeSubrange(offsets)
        chunks[chunk].values.removeSubrange(offsets)
    }

    /// Makes two chunks of a full one; where `index` is afterwards.
    private mutating func split(at index: Index) -> Index {
        let middle = Self.chunkLimit / 2
        let (keys, values) = (chunks[index.chunk].keys, chunks[index.chunk].values)
        chunks[index.chunk] = Chunk(keys: Array(keys[..<middle]), values: Array(values[..<middle]))
        chunks.insert(Chunk(keys: Array(keys[middle...]), values: Array(values[middle...])), at: index.chunk + 1)
        return index.offset <= middle ? index : Index(chunk: index.chunk + 1, offset: index.offset - middle)
    }
}

extension SortedMap: BidirectionalCollection {
    var startIndex: Index { Index(chunk: 0, offset: 0) }
    var endIndex: Index { Index(chunk: chunks.count, offset: 0) }

    subscript(index: Index) -> (key: Key, value: Value) {
        (chunks[index.chunk].keys[index.offset], chunks[index.chunk].values[index.offset])
    }

    func index(after index: Index) -> Index {
        guard index.offset + 1 < chunks[index.chunk].keys.count else { return Index(chunk: index.chunk + 1, offset: 0) }
        return Index(chunk: index.chunk, offset: index.offset + 1)
    }

    func index(before index: Index) -> Index {
        guard index.offset == 0 else { return Index(chunk: index.chunk, offset: index.offset - 1) }
        return Index(chunk: index.chunk - 1, offset: chunks[index.chunk - 1].keys.count - 1)
    }
}

extension SortedMap: Sendable where Value: Sendable {}
extension SortedMap.Chunk: Sendable where Value: Sendable {}

/// The first of `0..<count` for which `isBefore` is false; it is true for all before that and for none behind.
func partitionPoint(of count: Int, where isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}
