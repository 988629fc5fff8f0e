import StratusCloudStore

/// The neighbouring entries of an index that have one value.
struct ValueGroup {
    /// The value, as ``SortComponent/value(_:)`` holds it unless ``isAmbiguous``.
    let bytes: [UInt8]
    /// Whether the value is cut, so that the records may differ in what is left out.
    let isAmbiguous: Bool
    /// All entries with the value, also those that were not read.
    let range: KeyRange
    let layout: IndexEntry.Layout
    var records: [IndexedRecord]

    /// Splits entries in either order. Keys that are malformed are left out.
    static func groups(of entries: [StoreEntry], field: QueryableField) throws -> [ValueGroup] {
        let layout: IndexEntry.Layout = field.isRecordName ? .type : .value(field.type.scalar)
        var groups: [ValueGroup] = []
        var current = Key()
        for stored in entries {
            guard let entry = IndexEntry(stored, layout) else { continue }
            let key = stored.key
            let record = try entry.record()
            // A record name is a value of its own.
            let prefix = field.isRecordName ? key : entry.prefix
            if !groups.isEmpty, prefix == current {
                groups[groups.count - 1].records.append(record)
                continue
            }
            current = prefix
            let bytes =
                field.isRecordName ? Array(record.name.utf8) : IndexValue.decoded(entry.value, of: field.type.scalar)
            groups.append(
                ValueGroup(
                    bytes: bytes,
                    isAmbiguous: !field.isRecordName && IndexValue.isAmbiguous(bytes, of: field.type.scalar),
                    range: field.isRecordName ? KeyRange(lower: key, upper: key.next) : KeyRange(prefix: prefix),
                    layout: layout, records: [record]))
        }
        return groups
    }

    /// The place behind all records of the group.
    func end(under prefix: [SortComponent], ascending: Bool) -> SortedPosition {
        guard isAmbiguous else { return SortedPosition(components: prefix + [.value(bytes)], tail: .end) }
        var next = bytes
        if ascending, bytes.contains(where: { $0 != 0xFF }) {
            // Longer values come behind the cut one, and all before the next that is not longer.
            next = Key(bytes).afterAllWithThisPrefix.bytes
        } else if ascending {
            next = Self.behindAll(with: bytes)
        } else if let last = next.popLast(), last > 0 {
            next = Self.behindAll(with: next + [last - 1])
        }
        return SortedPosition(components: prefix + [.value(next)], tail: .start)
    }

    /// Longer than any value's part that decides its place, and so behind all values that begin with `bytes`, those of
    /// bytes included, which may be 0xFF as well.
    private static func behindAll(with bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0xFF, count: max(0, QueryLimits.sortedValueSize + 1 - bytes.count))
    }
}
