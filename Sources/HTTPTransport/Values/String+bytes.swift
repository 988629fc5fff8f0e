extension String {
    /// Whether all bytes of the text's UTF-8 are such. They are looked at in one piece and to the end, which is several
    /// times as quick as one by one up to the first that is not.
    func hasOnly(_ isAllowed: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            var refused: UInt8 = 0
            for byte in bytes { refused |= isAllowed(byte) ? 0 : 1 }
            return refused == 0
        } ?? utf8.allSatisfy(isAllowed)
    }

    /// Whether a byte of the text's UTF-8 is a control character of ASCII.
    var hasControls: Bool {
        hasWord { $0.hasByte(below: 0x20) || $0.hasByte(0x7F) }
    }

    /// Whether the text consists of those characters of ASCII that can be seen.
    var isVisibleASCII: Bool {
        !hasWord { $0.hasByte(below: 0x21) || $0.hasByte(0x7F) || $0.hasByteBeyondASCII }
    }

    /// Whether some eight bytes of the text's UTF-8 are such: heads are looked through for each request, and this is
    /// several times as quick as one by one. Each of those that are left over at the end is looked at eight times.
    private func hasWord(_ isSuch: (UInt64) -> Bool) -> Bool {
        let bytes = utf8.span.bytes
        let size = MemoryLayout<UInt64>.size
        var offset = 0
        while offset + size <= bytes.byteCount {
            if isSuch(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)) { return true }
            offset += size
        }
        while offset < bytes.byteCount {
            if isSuch(.repeating(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) { return true }
            offset += 1
        }
        return false
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
