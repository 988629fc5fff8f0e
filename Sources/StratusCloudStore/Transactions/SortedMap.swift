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
        /// Those of `keys`.
        var heads: [KeyHead]
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
    func lowerBound(_ key: Key) -> Index { lowerBound(key, KeyHead(key)) }

    private func lowerBound(_ key: Key, _ head: KeyHead) -> Index {
        // Buffers, because the arrays' own subscripts count references at each step of the search.
        let chunk = chunks.withUnsafeBufferPointer { chunks in
            partitionPoint(of: chunks.count) { chunks[$0].precedes(key, head, at: chunks[$0].keys.count - 1) }
        }
        guard chunk < chunks.count else { return endIndex }
        return Index(chunk: chunk, offset: chunks[chunk].lowerBound(key, head))
    }

    /// The entries of a range.
    func indices(in range: KeyRange) -> Range<Index> {
        guard !range.isEmpty else { return endIndex..<endIndex }
        return lowerBound(range.lower)..<lowerBound(range.upper)
    }

    mutating func set(_ key: Key, _ value: Value) {
        let head = KeyHead(key)
        var index = lowerBound(key, head)
        if index != endIndex, chunks[index.chunk].keys[index.offset] == key {
            chunks[index.chunk].values[index.offset] = value
            return
        }
        if index == endIndex {
            append(key, head, value)
            return
        }
        count += 1
        if chunks[index.chunk].keys.count == Self.chunkLimit {
            index = split(at: index)
        }
        chunks[index.chunk].heads.insert(head, at: index.offset)
        chunks[index.chunk].keys.insert(key, at: index.offset)
        chunks[index.chunk].values.insert(value, at: index.offset)
    }

    /// Puts an entry behind everything: keys that come in order fill chunk after chunk.
    fileprivate mutating func append(_ key: Key, _ head: KeyHead, _ value: Value) {
        count += 1
        guard let last = chunks.indices.last, chunks[last].keys.count < Self.chunkLimit else {
            chunks.append(Chunk(heads: [head], keys: [key], values: [value]))
            return
        }
        chunks[last].heads.append(head)
        chunks[last].keys.append(key)
        chunks[last].values.append(value)
    }

    mutating func remove(_ key: Key) {
        let index = lowerBound(key)
        guard index != endIndex, chunks[index.chunk].keys[index.offset] == key else { return }
        count -= 1
        chunks[index.chunk].heads.remove(at: index.offset)
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
        chunks[chunk].heads.removeSubrange(offsets)
        chunks[chunk].keys.removeSubrange(offsets)
        chunks[chunk].values.removeSubrange(offsets)
    }

    /// Makes two chunks of a full one; where `index` is afterwards.
    private mutating func split(at index: Index) -> Index {
        let middle = Self.chunkLimit / 2
        let full = chunks[index.chunk]
        chunks[index.chunk] = full.part(0..<middle)
        chunks.insert(full.part(middle..<Self.chunkLimit), at: index.chunk + 1)
        return index.offset <= middle ? index : Index(chunk: index.chunk + 1, offset: index.offset - middle)
    }
}

extension SortedMap.Chunk {
    /// Whether the key at `index` is less than `key`, whose head is `head`.
    func precedes(_ key: Key, _ head: KeyHead, at index: Int) -> Bool {
        let other = heads[index]
        return other != head ? other < head : keys[index] < key
    }

    /// The first entry whose key is `key` or greater.
    func lowerBound(_ key: Key, _ head: KeyHead) -> Int {
        heads.withUnsafeBufferPointer { heads in
            keys.withUnsafeBufferPointer { keys in
                partitionPoint(of: heads.count) { heads[$0] != head ? heads[$0] < head : keys[$0] < key }
            }
        }
    }

    func part(_ offsets: Range<Int>) -> Self {
        Self(heads: Array(heads[offsets]), keys: Array(keys[offsets]), values: Array(values[offsets]))
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

extension SortedMap where Value == [UInt8]? {
    /// Putting entries that come in order one behind the other costs a fraction of putting each in its place.
    init(ascending writes: FinishedWrites) {
        self.init()
        writes.forEach { key, value in append(Key(Array(key)), KeyHead(key), value.map { Array($0) }) }
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
