import Foundation

/// A value of a property list. Lists and dictionaries refer to their members by position, so that one with cycles is
/// a finite value, too.
enum PropertyListNode: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case date(Double)
    case data([UInt8])
    case string(String)
    /// The number of an object in a keyed archive.
    case uid(Int)
    case list([Int])
    case dictionary([(key: Int, value: Int)])

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)), (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.uid(let left), .uid(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left.elementsEqual(right, by: ==)
        default: false
        }
    }
}

/// Reads binary property lists, with the UIDs of keyed archives, which Foundation does not show.
///
/// Each object is read once. A list cannot be larger in memory than a small multiple of its file.
struct BinaryPropertyList {
    /// The reason why bytes are no binary property list.
    enum Failure: Error { case malformed }

    let nodes: [PropertyListNode]
    let root: Int

    private static let signature = Array("bplist00".utf8)
    private static let trailerSize = 32

    /// Whether bytes are those of a binary property list.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    init(_ bytes: [UInt8]) throws(Failure) {
        guard Self.begins(bytes), bytes.count >= Self.signature.count + Self.trailerSize else { throw .malformed }
        let trailer = bytes.count - Self.trailerSize
        let offsetSize = Int(bytes[trailer + 6])
        let reader = Reader(bytes: bytes, end: trailer, referenceSize: Int(bytes[trailer + 7]))
        guard 1...8 ~= offsetSize, 1...8 ~= reader.referenceSize else { throw .malformed }
        let count = try Reader(bytes: bytes, end: bytes.count, referenceSize: 0).number(at: trailer + 8, size: 8)
        let top = try Reader(bytes: bytes, end: bytes.count, referenceSize: 0).number(at: trailer + 16, size: 8)
        let table = try Reader(bytes: bytes, end: bytes.count, referenceSize: 0).number(at: trailer + 24, size: 8)
        // Each object has at least one byte and one offset.
        guard count > 0, count <= trailer, top < count, table <= trailer, (trailer - table) / offsetSize >= count else {
            throw .malformed
        }
        var nodes: [PropertyListNode] = []
        nodes.reserveCapacity(count)
        // Together the members of lists are at most as many as the file has bytes, unless lists overlap.
        var members = 0
        for index in 0..<count {
            let offset = try reader.number(at: table + index * offsetSize, size: offsetSize)
            let node = try reader.node(at: offset, count: count)
            switch node {
            case .list(let list): members += list.count
            case .dictionary(let pairs): members += 2 * pairs.count
            case .data(let bytes): members += bytes.count
            case .string(let text): members += text.utf8.count
            default: break
            }
            guard members <= 4 * bytes.count else { throw .malformed }
            nodes.append(node)
        }
        self.nodes = nodes
        root = top
    }
}

/// Reads single objects.
private struct Reader {
    let bytes: [UInt8]
    /// The end of the objects.
    let end: Int
    let referenceSize: Int

    func number(at offset: Int, size: Int) throws(BinaryPropertyList.Failure) -> Int {
        try check(offset, size)
        let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value) else { throw .malformed }
        return number
    }

    private func check(_ offset: Int, _ size: Int) throws(BinaryPropertyList.Failure) {
        guard offset >= 0, size >= 0, offset <= end, size <= end - offset else { throw .malformed }
    }

    private func bits(at offset: Int, size: Int) throws(BinaryPropertyList.Failure) -> UInt64 {
        try check(offset, size)
        return bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    func node(at offset: Int, count: Int) throws(BinaryPropertyList.Failure) -> PropertyListNode {
        try check(offset, 1)
        let low = Int(bytes[offset] & 0x0F)
        switch bytes[offset] >> 4 {
        case 0x0: return try simple(low)
        case 0x1:
            guard low <= 4 else { throw .malformed }
            // Of a number with 16 bytes the lower half counts.
            let size = 1 << low
            return .integer(Int64(bitPattern: try bits(at: offset + 1 + max(0, size - 8), size: min(size, 8))))
        case 0x2: return .double(try real(at: offset + 1, low))
        case 0x3:
            guard low == 3 else { throw .malformed }
            return .date(try real(at: offset + 1, low))
        case 0x4:
            let part = try extent(at: offset, low, unit: 1)
            return .data(Array(bytes[part]))
        case 0x5:
            let part = try extent(at: offset, low, unit: 1)
            guard let text = String(validating: bytes[part], as: UTF8.self) else { throw .malformed }
            return .string(text)
        case 0x6: return .string(try utf16(try extent(at: offset, low, unit: 2)))
        case 0x8: return .uid(try number(at: offset + 1, size: low + 1))
        case 0xA, 0xC:
            return .list(try references(in: try extent(at: offset, low, unit: referenceSize), count))
        case 0xD:
            let all = try references(in: try extent(at: offset, low, unit: 2 * referenceSize), count)
            let half = all.count / 2
            return .dictionary(zip(all[..<half], all[half...]).map { (key: $0, value: $1) })
        default: throw .malformed
        }
    }

    private func simple(_ low: Int) throws(BinaryPropertyList.Failure) -> PropertyListNode {
        switch low {
        case 0x0: .null
        case 0x8: .boolean(false)
        case 0x9: .boolean(true)
        default: throw .malformed
        }
    }

    private func real(at offset: Int, _ low: Int) throws(BinaryPropertyList.Failure) -> Double {
        switch low {
        case 2: Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: offset, size: 4))))
        case 3: Double(bitPattern: try bits(at: offset, size: 8))
        default: throw .malformed
        }
    }

    /// Returns where the content of an object lies. Its number of units is in the first byte or in a number behind it.
    private func extent(at offset: Int, _ low: Int, unit: Int) throws(BinaryPropertyList.Failure) -> Range<Int> {
        var start = offset + 1
        var units = low
        if low == 0xF {
            try check(start, 1)
            guard bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else { throw .malformed }
            let size = 1 << Int(bytes[start] & 0x0F)
            units = try number(at: start + 1, size: size)
            start += 1 + size
        }
        guard units <= bytes.count else { throw .malformed }
        try check(start, units * unit)
        return start..<start + units * unit
    }

    private func utf16(_ part: Range<Int>) throws(BinaryPropertyList.Failure) -> String {
        let units = stride(from: part.lowerBound, to: part.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .malformed }
        return text
    }

    private func references(in part: Range<Int>, _ count: Int) throws(BinaryPropertyList.Failure) -> [Int] {
        var found: [Int] = []
        for offset in stride(from: part.lowerBound, to: part.upperBound, by: referenceSize) {
            let reference = try number(at: offset, size: referenceSize)
            guard reference < count else { throw .malformed }
            found.append(reference)
        }
        return found
    }
}
