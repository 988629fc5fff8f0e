/// The bytes of a text that grows: room is made once for each piece, which is then written in place.
struct JSONBuffer: Sendable {
    /// Longer than ``count``; what is behind is room.
    private var storage: [UInt8]
    /// Bytes written.
    private(set) var count = 0

    init(capacity: Int) { storage = Self.room(of: max(capacity, 64)) }

    /// Of any bytes, because zeros would only be overwritten: each is written before ``count`` passes it, and those that
    /// it never passed are given up unread.
    private static func room(of size: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { $1 = size }
    }

    /// Lets `body` write at most `size` bytes and say how many they were.
    @inline(__always)
    mutating func add(atMost size: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(size)
        let start = count
        count = storage.withUnsafeMutableBufferPointer { room in
            guard let base = room.baseAddress else { return start }
            return start &+ body(base + start)
        }
    }

    /// Lets `body` put pieces of at most `size` bytes together.
    @inline(__always)
    mutating func add(atMost size: Int, _ body: (inout JSONRoom) -> Void) {
        add(atMost: size) { start in
            var room = JSONRoom(start)
            body(&room)
            return room.place - start
        }
    }

    @inline(__always)
    mutating func add(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count &+= 1
    }

    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        add(atMost: bytes.count) { room in
            room.update(from: first, count: bytes.count)
            return bytes.count
        }
    }

    /// Makes room for so many bytes.
    @inline(__always)
    mutating func reserve(_ size: Int) {
        if storage.count &- count < size { grow(size) }
    }

    @inline(never)
    private mutating func grow(_ size: Int) {
        // Made as a whole, which is quicker than appending.
        var larger = Self.room(of: storage.count + max(size, storage.count))
        larger.withUnsafeMutableBytes { room in
            storage.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        storage = larger
    }

    /// All that was written; without a copy, and the room is given up.
    mutating func trimmed() -> [UInt8] {
        storage.removeLast(storage.count - count)
        return storage
    }
}
