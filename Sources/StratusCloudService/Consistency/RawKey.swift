/// Reads a key where it lies, behind its first byte.
struct RawKey {
    let bytes: UnsafeRawBufferPointer
    private(set) var position = 1

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[min(position, bytes.count)...]) }

    mutating func unsigned() -> UInt64? {
        guard position < bytes.count else { return nil }
        let length = Int(bytes[position])
        guard length <= 8, position + length < bytes.count else { return nil }
        var value: UInt64 = 0
        for place in position + 1..<position + 1 + length { value = value << 8 | UInt64(bytes[place]) }
        position += 1 + length
        return value
    }

    /// Passes over a string and its end mark.
    mutating func skipEscaped() -> Bool {
        while position + 1 < bytes.count {
            if bytes[position] != 0 {
                position += 1
            } else {
                position += 2
                if bytes[position - 1] == 0 { return true }
            }
        }
        return false
    }

    mutating func skip(_ count: Int) -> Bool {
        guard position + count <= bytes.count else { return false }
        position += count
        return true
    }

    /// Passes over the value of an index entry; what follows is the record name.
    mutating func skipValue(_ layout: IndexEntry.Layout) -> Bool {
        switch layout {
        case .token, .type: return skipEscaped()
        case .cell: return skip(8)
        case .value(let type): return IndexValue.isOfVariableLength(type) ? skipEscaped() : skip(8)
        case .member(let type):
            guard position < bytes.count else { return false }
            let isEmptyList = bytes[position] == IndexMaintenance.emptyList
            return skip(1) && (isEmptyList || skipValue(.value(type)))
        }
    }
}
