import Glibc

/// Writes in the order made, in which the latest one of a key is found.
///
/// Keys and values lie in one piece of memory, one behind the other: thousands of small arrays would each be counted,
/// moved and freed wherever a group of transactions is put together, sorted and handed to the engine.
struct WriteJournal: Sendable {
    /// A write's place in the memory: the key, and the value behind it.
    struct Write {
        let start: Int
        private let keySize, valueSize: Int32

        /// What stands for the size of the value where the key is cleared.
        private static let none: Int32 = -1

        fileprivate init(start: Int, keySize: Int, valueSize: Int?) {
            self.start = start
            // Sizes that are over a limit make their transaction fail, and are not kept.
            self.keySize = Int32(keySize)
            self.valueSize = valueSize.map { Int32($0) } ?? Self.none
        }

        var key: Range<Int> { start..<(start + Int(keySize)) }
        /// Nil if the key is cleared.
        var value: Range<Int>? {
            valueSize == Self.none ? nil : key.upperBound..<(key.upperBound + Int(valueSize))
        }

        fileprivate func moved(by distance: Int) -> Write {
            Write(start: start + distance, keySize: Int(keySize), valueSize: value?.count)
        }
    }

    /// Keys that are looked for write by write before the table is made.
    private static let mostSearches = 8

    /// What a small transaction writes, so that its arrays need not grow.
    private static let usualWrites = 16, usualSize = 2_048

    private var memory: [UInt8] = []
    private var writes: [Write] = []
    private var searches = 0
    /// Where the latest write of each key stands, once many were looked for.
    private var table = KeyTable()

    var isEmpty: Bool { writes.isEmpty }

    /// - Parameter value: Nil clears the key.
    mutating func append(_ key: Key, _ value: [UInt8]?) {
        if writes.isEmpty {
            writes.reserveCapacity(Self.usualWrites)
            memory.reserveCapacity(Self.usualSize)
        }
        writes.append(Write(start: memory.count, keySize: key.bytes.count, valueSize: value?.count))
        memory.append(contentsOf: key.bytes)
        if let value { memory.append(contentsOf: value) }
    }

    mutating func append(_ later: WriteJournal) {
        guard !isEmpty else {
            (memory, writes) = (later.memory, later.writes)
            return
        }
        let end = memory.count
        memory.append(contentsOf: later.memory)
        writes.append(contentsOf: later.writes.lazy.map { $0.moved(by: end) })
    }

    /// The latest value, nil if it was cleared; nil around that if the key was not written.
    mutating func value(of key: Key) -> [UInt8]?? {
        guard !writes.isEmpty, let place = latestWrite(of: key) else { return nil }
        return .some(writes[place].value.map { Array(memory[$0]) })
    }

    /// Calls `body` with each write, in order.
    func forEach(_ body: (Key, [UInt8]?) -> Void) {
        for write in writes { body(Key(Array(memory[write.key])), write.value.map { Array(memory[$0]) }) }
    }

    private mutating func latestWrite(of key: Key) -> Int? {
        searches += 1
        let isTabled = searches > Self.mostSearches
        return memory.withUnsafeBytes { memory in
            writes.withUnsafeBufferPointer { writes in
                key.bytes.withUnsafeBytes { key in
                    if isTabled {
                        table.add(writes, in: memory)
                        return table.place(of: key, among: writes, in: memory)
                    }
                    return writes.indices.last { memory.holds(key, at: writes[$0].key) }
                }
            }
        }
    }
}

extension WriteJournal {
    /// The latest write of each key, keys ascending.
    func sorted() -> [Write] {
        memory.withUnsafeBytes { memory in
            writes.withUnsafeBufferPointer { writes in
                var order = writes.indices.map { (head: KeyHead(memory.part(writes[$0].key)), write: $0) }
                order.sort { left, right in
                    if left.head != right.head { return left.head < right.head }
                    let (first, second) = (memory.part(writes[left.write].key), memory.part(writes[right.write].key))
                    let isSame = first.count == second.count && first.compare(second) == 0
                    return isSame ? left.write < right.write : first.precedes(second)
                }
                var latest: [Write] = []
                latest.reserveCapacity(order.count)
                for (position, (head, place)) in order.enumerated() {
                    let write = writes[place]
                    if position + 1 < order.count, order[position + 1].head == head,
                        memory.holds(memory.part(write.key), at: writes[order[position + 1].write].key)
                    {
                        continue
                    }
                    latest.append(write)
                }
                return latest
            }
        }
    }

    /// The memory that writes stand in.
    func withMemory<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try memory.withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}

extension UnsafeRawBufferPointer {
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// Whether these bytes stand there.
    func holds(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        range.count == bytes.count && part(range).compare(bytes) == 0
    }

    /// As keys sort.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let order = compare(other)
        return order != 0 ? order < 0 : count < other.count
    }

    /// Compares what both have: less than 0 if this comes first.
    fileprivate func compare(_ other: UnsafeRawBufferPointer) -> Int32 {
        guard let first = baseAddress, let second = other.baseAddress else { return 0 }
        return memcmp(first, second, Swift.min(count, other.count))
    }
}
