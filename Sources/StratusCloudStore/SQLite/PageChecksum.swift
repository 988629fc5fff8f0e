/// The checksum in the last eight bytes of every page of the database file.
///
/// Every step is a bijection of the state it changes, so an error within one aligned word of eight bytes is always
/// found, and any other but for one in 2^64. The page's number goes in, so a page in another's place is found too.
enum PageChecksum {
    /// Bytes of a page.
    static let pageSize = 4_096
    /// Bytes at the end of a page that SQLite leaves to the checksum.
    static let size = 8

    /// Odd, so multiplication by it is a bijection: 2^64 divided by the golden ratio.
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The checksum of a page's first ``pageSize`` - ``size`` bytes.
    static func compute(_ page: UnsafeRawPointer, number: UInt64) -> UInt64 {
        var (a, b) = (number &+ 1, ~number)
        var (c, d) = (number &* factor, number ^ factor)
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
            let product = (state ^ word) &* factor
            return product ^ (product >> 29)
        }
        let end = pageSize - size
        var offset = 0
        while offset + 32 <= end {
            a = mixed(a, word(offset))
            b = mixed(b, word(offset + 8))
            c = mixed(c, word(offset + 16))
            d = mixed(d, word(offset + 24))
            offset += 32
        }
        while offset < end {
            a = mixed(a, word(offset))
            offset += 8
        }
        return mixed(mixed(mixed(mixed(factor, a), b), c), d)
    }

    /// Whether a whole page holds its own checksum.
    static func isValid(_ page: UnsafeRawPointer, number: UInt64) -> Bool {
        let stored = page.loadUnaligned(fromByteOffset: pageSize - size, as: UInt64.self)
        return UInt64(littleEndian: stored) == compute(page, number: number)
    }

    /// Writes a page's checksum into its end.
    static func seal(_ page: UnsafeMutableRawPointer, number: UInt64) {
        let checksum = compute(page, number: number).littleEndian
        page.storeBytes(of: checksum, toByteOffset: pageSize - size, as: UInt64.self)
    }
}
