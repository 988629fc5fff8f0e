import CloudStore

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
        if ascending {
            // Longer values come behind the cut one, and all before the next that is not longer.
            next = Key(bytes).afterAllWithThisPrefix.bytes
        } else if let last = next.popLast(), last > 0 {
            // No text has the byte 0xFF, so this is behind all that are less than the cut one.
            next += [last - 1, 0xFF]
        }
        return SortedPosition(components: prefix + [.value(next)], tail: .start)
    }
}
