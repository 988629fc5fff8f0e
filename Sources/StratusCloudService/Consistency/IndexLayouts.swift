import StratusCloudStore

/// How the entries of a schema's indexes are laid out, and which indexes come and go.
struct IndexLayouts: Sendable {
    private let layouts: [UInt64: [Keyspace.Tag: IndexEntry.Layout]]
    /// Indexes whose entries are being cleared.
    let dropped: Set<UInt64>
    /// Indexes whose entries are being made, with their tags.
    let building: Set<UInt64>
    /// Complete indexes of fields that a record can lack.
    let optional: Set<UInt64>

    init(_ schema: Schema) {
        dropped = Set(schema.droppedIndexes.map(\.rawValue))
        var layouts: [UInt64: [Keyspace.Tag: IndexEntry.Layout]] = [0: [.index: .type]]
        for field in schema.recordTypes.values.lazy.flatMap(\.indexedFields) where !field.isRecordName {
            layouts[field.index.number.rawValue] = [
                .index: field.type.isList ? .member(field.type.scalar) : .value(field.type.scalar),
                .token: .token, .cell: .cell,
            ]
        }
        self.layouts = layouts
        building = Set(schema.recordTypes.values.flatMap(\.buildingFields).map(\.index.number.rawValue))
        optional = Set(
            schema.recordTypes.values.flatMap(\.queryableFields).filter(\.isOptional).map(\.index.number.rawValue))
    }

    subscript(number: UInt64, tag: Keyspace.Tag) -> IndexEntry.Layout? { layouts[number]?[tag] }

    /// All numbers with entries that can be read.
    var numbers: [UInt64] { layouts.keys.sorted() }
}
