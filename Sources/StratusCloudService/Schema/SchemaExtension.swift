import StratusCloudModel

/// What saves in development add to a schema: types and fields that were not there.
struct SchemaExtension: Error, Hashable, Sendable {
    /// Fields by record type; a type may come without fields.
    var recordTypes: [String: [String: FieldType]] = [:]

    var isEmpty: Bool { recordTypes.isEmpty }

    mutating func formUnion(_ other: SchemaExtension) {
        for (type, fields) in other.recordTypes {
            recordTypes[type, default: [:]].merge(fields) { first, _ in first }
        }
    }
}

extension Schema {
    /// Adds what is missing and leaves alone what is there. New fields and types get every index that their type can
    /// have, and the default grants.
    /// - Throws: `badRequest` if the schema would have too many record types.
    mutating func extend(with addition: SchemaExtension) throws(CloudError) {
        for (typeName, fields) in addition.recordTypes.sorted(by: { $0.key < $1.key }) {
            var type = recordTypes[typeName] ?? newRecordType(named: typeName)
            for (fieldName, fieldType) in fields.sorted(by: { $0.key < $1.key }) where type.fields[fieldName] == nil {
                let kinds = FieldIndex.allKinds(for: fieldType)
                type.fields[fieldName] = FieldSchema(
                    name: fieldName, type: fieldType, index: kinds.isEmpty ? nil : newIndex(kinds))
            }
            recordTypes[typeName] = type
        }
        try checkTypeCount()
    }

    func checkTypeCount() throws(CloudError) {
        let count = recordTypes.keys.count { ReservedZones.recordTypes[$0] == nil }
        guard count <= SchemaCatalog.maximumRecordTypes else {
            throw CloudError(.badRequest, "a schema has at most \(SchemaCatalog.maximumRecordTypes) record types")
        }
    }

    private mutating func newRecordType(named name: String) -> RecordTypeSchema {
        var type = RecordTypeSchema(name: name)
        for field in SystemField.allCases { type.systemFields[field] = newIndex(field.allIndexKinds) }
        return type
    }
}

extension SystemField {
    /// What an index on it can answer.
    var allIndexKinds: FieldIndex.Kinds {
        switch self {
        case .recordName, .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .modifiedUserRecordName:
            [.queryable, .sortable]
        case .parent, .share: [.queryable]
        }
    }
}
