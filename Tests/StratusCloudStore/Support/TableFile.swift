import Foundation
import StratusCLevelDB

/// A table of LevelDB, taken apart to be damaged in a way that checksums do not tell.
struct TableFile {
    private(set) var bytes: [UInt8]
    /// Of data, then the filter, the names of others, and the index; without the checksums behind them.
    let blocks: [Range<Int>]

    /// Fails for what is no whole table.
    init?(_ data: Data) {
        let bytes = Array(data)
        guard bytes.count >= 48 else { return nil }
        var place = bytes.count - 48
        guard let names = Self.place(bytes, &place), let index = Self.place(bytes, &place) else { return nil }
        let told = [index, names].flatMap { Self.values(of: bytes, in: $0) }.compactMap { value in
            var place = value.lowerBound
            return Self.place(bytes, &place)
        }
        self.bytes = bytes
        blocks = told + [names, index]
    }

    /// Puts other bytes into a block, and its checksum behind it.
    mutating func replace(_ range: Range<Int>, by other: [UInt8], in block: Range<Int>) {
        bytes.replaceSubrange(range, with: other)
        let checked = Array(bytes[block.lowerBound...block.upperBound])
        let checksum = cleveldb_crc32c(0, checked, checked.count)
        let masked = (checksum >> 15 | checksum << 17) &+ 0xA282_EAD8
        for byte in 0..<4 { bytes[block.upperBound + 1 + byte] = UInt8(truncatingIfNeeded: masked >> (8 * byte)) }
    }

    /// Of rows with whole keys, as index and names have them.
    private static func values(of bytes: [UInt8], in block: Range<Int>) -> [Range<Int>] {
        let count = (0..<4).reduce(0) { $0 | Int(bytes[block.upperBound - 4 + $1]) << (8 * $1) }
        let end = block.upperBound - 4 - 4 * count
        var (values, place): ([Range<Int>], Int) = ([], block.lowerBound)
        while place < end {
            guard let shared = number(bytes, &place), let key = number(bytes, &place), let size = number(bytes, &place)
            else { break }
            precondition(shared == 0)
            values.append(place + key..<place + key + size)
            place += key + size
        }
        return values
    }

    private static func place(_ bytes: [UInt8], _ place: inout Int) -> Range<Int>? {
        guard let offset = number(bytes, &place), let size = number(bytes, &place) else { return nil }
        return offset..<offset + size
    }

    private static func number(_ bytes: [UInt8], _ place: inout Int) -> Int? {
        var (result, shift) = (0, 0)
        while place < bytes.count, shift < 63 {
            let byte = bytes[place]
            place += 1
            result |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return result }
        }
        return nil
    }
}
