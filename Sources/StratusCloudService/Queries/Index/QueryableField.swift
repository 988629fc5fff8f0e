import StratusCloudModel
import StratusCloudStore

/// A field of a record type as indexes and queries see it.
struct QueryableField: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case named(String)
        case system(SystemField)
    }

    /// What a record holds there.
    enum Content {
        case scalar(ScalarValue)
        case list([ScalarValue])
    }

    let source: Source
    let type: FieldType
    let index: FieldIndex

    init(_ field: FieldSchema, index: FieldIndex) {
        source = .named(field.name)
        type = field.type
        self.index = index
    }

    init(_ field: SystemField, index: FieldIndex) {
        source = .system(field)
        type = FieldType(field.type)
        self.index = index
    }

    /// The record names of a type have an index of their own, ``TypeIndex``.
    var isRecordName: Bool { source == .system(.recordName) }

    /// How messages name it.
    var name: String {
        switch source {
        case .named(let name): name
        case .system(let field): field.messageName
        }
    }

    /// Whether a record can lack it.
    var isOptional: Bool {
        switch source {
        case .named, .system(.parent), .system(.share): true
        case .system: false
        }
    }

    /// What the record holds, or nil where it has nothing of the field's type.
    func content(of record: StoredRecord) -> Content? {
        switch source {
        case .named(let name):
            guard let field = record.fields[name], field.type == type else { return nil }
            switch field.value {
            case .scalar(.location(let location)):
                return location.isOnEarth ? .scalar(.location(location)) : nil
            case .scalar(let value): return .scalar(value)
            case .list(_, let elements): return .list(elements)
            }
        case .system(let field):
            return field.value(of: record).map(Content.scalar)
        }
    }

    /// The record's value of a field that is not a list.
    func scalar(of record: StoredRecord) -> ScalarValue? {
        guard case .scalar(let value)? = content(of: record) else { return nil }
        return value
    }

    /// The start of the field's keys in one of its indexes.
    func prefix(_ tag: Keyspace.Tag, zone: ZoneNumber) -> TupleEncoder {
        Keyspace.prefix(tag, zone: zone, index: index.number)
    }
}

extension RecordTypeSchema {
    /// All fields with an index that queries can use.
    var queryableFields: [QueryableField] {
        fields.values.compactMap { field in field.index.map { QueryableField(field, index: $0) } }
            + systemFields.map { QueryableField($0.key, index: $0.value) }
    }

    /// All fields whose indexes are being built.
    var buildingFields: [QueryableField] {
        fields.values.compactMap { field in field.building.map { QueryableField(field, index: $0) } }
            + systemFieldsBuilding.map { QueryableField($0.key, index: $0.value) }
    }

    /// All that have entries: a save keeps also those that are not complete yet.
    var indexedFields: [QueryableField] { queryableFields + buildingFields }
}

extension SystemField {
    /// The name in messages, as Apple's service words them.
    var messageName: String { self == .recordName ? wireName : rawValue }

    fileprivate func value(of record: StoredRecord) -> ScalarValue? {
        switch self {
        case .recordName: .reference(Reference(recordName: record.recordName))
        case .createdUserRecordName: .reference(Reference(recordName: record.created.userRecordName))
        case .createdTimestamp: .timestamp(Timestamp(milliseconds: record.created.timestamp))
        case .modifiedUserRecordName: .reference(Reference(recordName: record.modified.userRecordName))
        case .modifiedTimestamp: .timestamp(Timestamp(milliseconds: record.modified.timestamp))
        case .parent: record.parent.map(ScalarValue.reference)
        case .share: record.share.map(ScalarValue.reference)
        }
    }
}

extension Location {
    /// Whether it is a place that can be indexed.
    var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
}
