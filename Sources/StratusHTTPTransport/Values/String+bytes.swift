extension String {
    /// Whether a byte of the text's UTF-8 is a control character of ASCII.
    var hasControls: Bool {
        hasWord { $0.hasByte(below: 0x20) || $0.hasByte(0x7F) }
    }

    /// Whether the text consists of those characters of ASCII that can be seen.
    var isVisibleASCII: Bool {
        !hasWord { $0.hasByte(below: 0x21) || $0.hasByte(0x7F) || $0.hasByteBeyondASCII }
    }

    /// Whether some eight bytes of the text's UTF-8 are such: heads are looked through for each request, and this is
    /// several times as quick as one by one. What is left over at the end is looked at with bytes before it, and of texts
    /// that are shorter each byte eight times.
    private func hasWord(_ isSuch: (UInt64) -> Bool) -> Bool {
        let bytes = utf8.span.bytes
        let size = MemoryLayout<UInt64>.size
        guard bytes.byteCount >= size else {
            for offset in bytes.byteOffsets {
                if isSuch(.repeating(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) { return true }
            }
            return false
        }
        var offset = 0
        while offset + size <= bytes.byteCount {
            if isSuch(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)) { return true }
            offset += size
        }
        return isSuch(bytes.unsafeLoadUnaligned(fromByteOffset: bytes.byteCount - size, as: UInt64.self))
    }
}

/// Eight bytes at once.
extension UInt64 {
    fileprivate static func repeating(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    private static let highBits = repeating(0x80)

    fileprivate var hasByteBeyondASCII: Bool { self & Self.highBits != 0 }

    /// Whether there is such a byte, not where: the subtraction borrows from the byte above one that is smaller.
    /// - Parameter bound: At most 128.
    fileprivate func hasByte(below bound: UInt8) -> Bool {
        (self &- Self.repeating(bound)) & ~self & Self.highBits != 0
    }

    fileprivate func hasByte(_ byte: UInt8) -> Bool { (self ^ Self.repeating(byte)).hasByte(below: 1) }
}
