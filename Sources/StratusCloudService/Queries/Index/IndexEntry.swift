import StratusCloudModel
import StratusCloudStore

/// Reads entries of indexes: where the value stands, and which record it is of.
struct IndexEntry {
    /// What stands between the index number and the record name.
    enum Layout: Hashable, Sendable {
        case value(ScalarType)
        case member(ScalarType)
        case token
        case cell
        /// The record type's name.
        case type
    }

    let key: Key
    /// The entry's value.
    private let tail: [UInt8]
    private let layout: Layout
    /// Where the value begins, and where the record name does.
    private let valueStart: Int
    private let nameStart: Int

    /// Fails for keys that do not have the layout.
    init?(_ entry: StoreEntry, _ layout: Layout) {
        let bytes = entry.key.bytes
        var position = 1
        // The numbers of zone and index, each behind its length.
        for _ in 0..<2 {
            guard position < bytes.count else { return nil }
            position += 1 + Int(bytes[position])
        }
        guard position <= bytes.count else { return nil }
        let end: Int? =
            switch layout {
            case .value(let type): IndexValue.end(in: bytes, from: position, of: type)
            case .member(let type): Self.memberEnd(in: bytes, from: position, of: type)
            case .token, .type: IndexValue.end(in: bytes, from: position, of: .string)
            case .cell: position + 8 <= bytes.count ? position + 8 : nil
            }
        guard let end else { return nil }
        key = entry.key
        tail = entry.value
        self.layout = layout
        valueStart = position
        nameStart = end
    }

    var value: ArraySlice<UInt8> { key.bytes[valueStart..<nameStart] }

    var recordName: String { String(decoding: key.bytes[nameStart...], as: UTF8.self) }

    func record() throws -> IndexedRecord {
        IndexedRecord(name: recordName, hint: try IndexHint.version(in: tail, layout))
    }

    /// The key up to the record name: all entries with this value begin with it.
    var prefix: Key { Key(Array(key.bytes[..<nameStart])) }

    var cell: Cell { Cell(rawValue: value.reduce(0) { $0 << 8 | UInt64($1) }) }

    private static func memberEnd(in bytes: [UInt8], from position: Int, of type: ScalarType) -> Int? {
        guard position < bytes.count else { return nil }
        return bytes[position] == IndexMaintenance.emptyList
            ? position + 1 : IndexValue.end(in: bytes, from: position + 1, of: type)
    }
}
