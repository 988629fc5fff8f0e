/// Where the latest write of each key stands among those of a journal: a table of hashes with open addresses, filled as far
/// as the journal has come.
struct KeyTable: Sendable {
    private static let smallest = 64
    /// At most one slot in so many is used.
    private static let room = 2

    /// What is in a slot: a write's number, counted from 1, and its key's hash; 0 if it is empty.
    private var slots: [(write: UInt32, hash: UInt32)] = []
    private var used = 0
    /// Writes that are in the table.
    private var tabled = 0
    /// Another one in each process, so that nobody can choose keys that meet. Not for each table: a random number is a
    /// call of the system.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Adds the writes behind those that are in the table.
    mutating func add(_ writes: UnsafeBufferPointer<WriteJournal.Write>, in memory: UnsafeRawBufferPointer) {
        guard tabled < writes.count else { return }
        makeRoom(for: used + writes.count - tabled)
        for place in tabled..<writes.count {
            let key = memory.part(writes[place].key)
            let hash = hash(of: key)
            let slot = slot(of: key, hash, among: writes, in: memory)
            if slots[slot].write == 0 { used += 1 }
            slots[slot] = (UInt32(place + 1), hash)
        }
        tabled = writes.count
    }

    /// The number of a key's latest write, of the writes that were added.
    func place(
        of key: UnsafeRawBufferPointer, among writes: UnsafeBufferPointer<WriteJournal.Write>,
        in memory: UnsafeRawBufferPointer
    ) -> Int? {
        guard !slots.isEmpty else { return nil }
        let write = slots[slot(of: key, hash(of: key), among: writes, in: memory)].write
        return write == 0 ? nil : Int(write) - 1
    }

    /// The slot of a key, or the one in which it would be put.
    private func slot(
        of key: UnsafeRawBufferPointer, _ hash: UInt32, among writes: UnsafeBufferPointer<WriteJournal.Write>,
        in memory: UnsafeRawBufferPointer
    ) -> Int {
        slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var slot = Int(hash) & mask
            while slots[slot].write != 0 {
                if slots[slot].hash == hash, memory.holds(key, at: writes[Int(slots[slot].write) - 1].key) { break }
                slot = (slot + 1) & mask
            }
            return slot
        }
    }

    private mutating func makeRoom(for count: Int) {
        guard count * Self.room > slots.count else { return }
        var size = Swift.max(slots.count, Self.smallest)
        while size < count * Self.room { size *= 2 }
        let former = slots
        slots = Array(repeating: (0, 0), count: size)
        for entry in former where entry.write != 0 {
            var slot = Int(entry.hash) & (size - 1)
            while slots[slot].write != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = entry
        }
    }

    /// Eight bytes at a time are multiplied into what came before, and both halves of the product count.
    private func hash(of key: UnsafeRawBufferPointer) -> UInt32 {
        let step = MemoryLayout<UInt64>.size
        var state = Self.seed ^ UInt64(truncatingIfNeeded: key.count)
        var offset = 0
        while offset + step <= key.count {
            state = Self.mixed(state, key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += step
        }
        var rest: UInt64 = 0
        while offset < key.count {
            rest = rest << 8 | UInt64(key[offset])
            offset += 1
        }
        state = Self.mixed(state, rest)
        return UInt32(truncatingIfNeeded: state)
    }

    private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        // An odd number without a pattern: the golden ratio's fraction.
        let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
