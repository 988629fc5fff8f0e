import Foundation

/// Writes binary property lists with the UIDs of keyed archives, for tests: Foundation does not write UIDs.
struct BinaryListWriter {
    /// A value of a list.
    indirect enum Value {
        case flag(Bool)
        case number(Int64)
        case real(Double)
        case text(String)
        case bytes([UInt8])
        case uid(Int)
        case list([Value])
        case dictionary([(String, Value)])
    }

    private var objects: [[UInt8]] = []

    static func bytes(_ root: Value) -> [UInt8] {
        var writer = BinaryListWriter()
        let top = writer.add(root)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in writer.objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += big(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 2] + big(offsets.count, 8) + big(top, 8) + big(table, 8)
        return bytes
    }

    private static func big(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + Self.big(count, 4)
    }

    private mutating func add(_ value: Value) -> Int {
        let index = objects.count
        objects.append([])
        switch value {
        case .flag(let flag): objects[index] = [flag ? 9 : 8]
        case .number(let number): objects[index] = [0x13] + Self.big(Int(number), 8)
        case .real(let number):
            objects[index] = [0x23] + Self.big(Int(bitPattern: UInt(number.bitPattern)), 8)
        case .text(let text) where text.utf8.allSatisfy { $0 < 128 }:
            objects[index] = head(5, text.utf8.count) + Array(text.utf8)
        case .text(let text):
            objects[index] = head(6, text.utf16.count) + text.utf16.flatMap { Self.big(Int($0), 2) }
        case .bytes(let bytes): objects[index] = head(4, bytes.count) + bytes
        case .uid(let number): objects[index] = [0x81] + Self.big(number, 2)
        case .list(let members):
            let references = members.map { add($0) }
            objects[index] = head(0xA, members.count) + references.flatMap { Self.big($0, 2) }
        case .dictionary(let pairs):
            let references = pairs.map { add(.text($0.0)) } + pairs.map { add($0.1) }
            objects[index] = head(0xD, pairs.count) + references.flatMap { Self.big($0, 2) }
        }
        return index
    }
}
