import CloudModel

extension Schema {
    /// Adds the record types and fields of a document that are not there yet.
    ///
    /// Nothing is removed, no type changes, and what exists keeps its indexes: an index on records that are already
    /// stored would have to be built first.
    /// - Throws: `conflict` naming the field whose type or indexes differ.
    mutating func apply(_ document: SchemaDocument) throws(CloudError) {
        for wanted in document.recordTypes {
            var type = recordTypes[wanted.name] ?? newType(wanted)
            for field in wanted.fields {
                if let known = type.fields[field.name] {
                    try Self.checkUnchanged(known, field, in: wanted.name)
                } else {
                    type.fields[field.name] = FieldSchema(
                        name: field.name, type: field.type, index: field.kinds.isEmpty ? nil : newIndex(field.kinds))
                }
            }
            guard type.fields.count <= ModelLimits.fieldsPerRecordType else {
                throw CloudError(
                    .badRequest,
                    "record type '\(wanted.name)' has more than \(ModelLimits.fieldsPerRecordType) fields")
            }
            try Self.checkUnchanged(type, wanted)
            if !wanted.grants.isEmpty { type.grants = wanted.grants }
            recordTypes[wanted.name] = type
        }
        try checkTypeCount()
        version += 1
    }

    private mutating func newType(_ wanted: SchemaDocument.RecordType) -> RecordTypeSchema {
        var type = RecordTypeSchema(name: wanted.name)
        for (field, kinds) in wanted.systemFields.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            type.systemFields[field] = newIndex(kinds)
        }
        return type
    }

    private static func checkUnchanged(
        _ known: FieldSchema, _ wanted: SchemaDocument.Field, in recordType: String
    ) throws(CloudError) {
        guard known.type == wanted.type else {
            throw CloudError(
                .conflict,
                "field '\(wanted.name)' in record type '\(recordType)' is \(known.type.schemaText), "
                    + "and types never change (file: \(wanted.type.schemaText))")
        }
        guard wanted.kinds.isSubset(of: known.index?.kinds ?? []) else {
            throw CloudError(
                .conflict,
                "field '\(wanted.name)' in record type '\(recordType)' exists without an index that the file wants, "
                    + "and indexes are made with their field only")
        }
    }

    private static func checkUnchanged(
        _ known: RecordTypeSchema, _ wanted: SchemaDocument.RecordType
    ) throws(CloudError) {
        for (field, kinds) in wanted.systemFields
        where !kinds.isSubset(of: known.systemFields[field]?.kinds ?? []) {
            throw CloudError(
                .conflict,
                "system field '\(field.rawValue)' in record type '\(known.name)' exists without an index that the "
                    + "file wants, and indexes are made with their record type only")
        }
    }
}
