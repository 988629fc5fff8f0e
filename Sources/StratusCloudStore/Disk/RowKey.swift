import Glibc

/// Memory in which the key of a row is put together, a partition's number and a key, to be bound without a copy.
final class RowKey {
    /// Keys over the limit exist only as bounds of ranges; what is beyond one byte more decides nothing.
    private static let longestKey = StoreLimits.keySize + 1
    /// A length byte and a number.
    static let longestPrefix = 9

    private let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: longestPrefix + longestKey, alignment: MemoryLayout<UInt64>.alignment)

    deinit { memory.deallocate() }

    /// Valid until the next call.
    func compose(_ prefix: [UInt8], _ key: Key) -> UnsafeRawBufferPointer {
        key.bytes.withUnsafeBytes { compose(prefix, $0) }
    }

    /// Valid until the next call.
    func compose(_ prefix: [UInt8], _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = min(key.count, Self.longestKey)
        memory.copyBytes(from: prefix)
        UnsafeMutableRawBufferPointer(rebasing: memory[prefix.count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: key[..<count]))
        return UnsafeRawBufferPointer(rebasing: memory[..<(prefix.count + count)])
    }

    /// The number of a partition in the keys of its rows: none is the beginning of another.
    static func prefix(partition number: Int64) -> [UInt8] {
        var encoder = TupleEncoder(capacity: longestPrefix)
        encoder.append(unsigned: UInt64(bitPattern: number))
        return encoder.bytes
    }
}
