import StratusCloudModel

/// Puts the fields of a request into a record, by the rules of the schema.
struct FieldMerge {
    let scope: DatabaseScope
    /// Whether types and fields appear with their first save.
    let extendsSchema: Bool
    let schema: Schema
    /// How messages call what is not extended.
    let schemaName: String
    /// Whether the caller may say which roles a person has.
    let mayGrantRoles: Bool

    /// The record's fields after the request, and what the schema must have for them.
    /// - Throws: the first field that cannot be set.
    func merge(
        _ input: RecordInput, of recordType: String, into old: FieldMap
    ) throws(CloudError) -> (fields: FieldMap, addition: SchemaExtension) {
        var fields = old
        var addition = SchemaExtension()
        let knownFields = schema.recordTypes[recordType]?.fields
        if schema.frozen.recordTypes.contains(recordType) {
            throw Self.beingRemoved("record type '\(recordType)'")
        }
        let frozen = schema.frozen.fields[recordType] ?? []
        if knownFields == nil {
            guard extendsSchema else {
                throw CloudError(.badRequest, "Cannot create new type \(recordType) in \(schemaName)")
            }
            addition.recordTypes[recordType] = [:]
        }
        let isOfUser = recordType == SystemRecordType.users
        for (name, value) in input.fields {
            // Also of fields that the schema has: texts of other bytes may be equal to their names.
            try Names.checkField(name, recordType: recordType)
            if isOfUser, name == RecordTypeSchema.rolesField, !mayGrantRoles {
                throw CloudError(.accessDenied, "field 'roles' in record 'Users' is set by the operator")
            }
            if frozen.contains(name) { throw Self.beingRemoved("field '\(name)' in record '\(recordType)'") }
            let fieldType: FieldType
            if let known = knownFields?[name]?.type {
                fieldType = known
            } else {
                guard extendsSchema else {
                    throw CloudError(
                        .badRequest,
                        "Cannot create or modify field '\(name)' in record '\(recordType)' in \(schemaName)")
                }
                if value.value.isNull { continue }
                fieldType = try FieldCoercion.inferredType(of: value, field: name, recordType: recordType)
                addition.recordTypes[recordType, default: [:]][name] = fieldType
            }
            // Made only for a message.
            func subject() -> String { "field '\(name)' in record '\(recordType)'" }
            try checkEncryption(of: value, as: fieldType, subject: subject)
            fields[name] = try FieldCoercion.value(
                of: value, as: storedType(of: value, declared: fieldType), subject: subject()
            ).map { Field($0, isEncrypted: fieldType.isEncrypted) }
        }
        try checkFieldCount(knownFields?.count ?? 0, addition, recordType)
        return (fields, addition)
    }

    private static func beingRemoved(_ subject: String) -> CloudError {
        CloudError(.tryAgainLater, "\(subject) is about to be removed from the schema", retryAfter: 1)
    }

    /// What a device encrypted is bytes, whatever the field is declared to hold.
    private func storedType(of input: FieldInput, declared: FieldType) -> FieldType {
        guard declared.isEncrypted, input.isEncrypted, input.declaredType == .scalar(.bytes) else { return declared }
        return FieldType(.bytes, isEncrypted: true)
    }

    private func checkEncryption(
        of input: FieldInput, as type: FieldType, subject: () -> String
    ) throws(CloudError) {
        if type.isEncrypted, scope == .public {
            throw CloudError(.badRequest, "encrypted fields are not supported in the public database: \(subject())")
        }
        if input.isEncrypted, !type.isEncrypted {
            throw CloudError(.badRequest, "Attempt to save encrypted data in non encrypted field type: \(subject())")
        }
        if input.isEncrypted, !type.scalar.canBeEncrypted {
            throw CloudError(.badRequest, "type \(type) cannot be encrypted: \(subject())")
        }
        if type.isEncrypted, !input.isEncrypted, !input.value.isNull {
            let plain = FieldType(type.scalar, isList: type.isList)
            throw CloudError(
                .badRequest, "invalid attempt to set value type \(plain) for \(subject()), defined to be: \(type)")
        }
    }

    private func checkFieldCount(
        _ knownCount: Int, _ addition: SchemaExtension, _ recordType: String
    ) throws(CloudError) {
        let count = knownCount + (addition.recordTypes[recordType]?.count ?? 0)
        guard count <= ModelLimits.fieldsPerRecordType else {
            throw CloudError(
                .badRequest,
                "record type '\(recordType)' would have \(count) fields, which is more than the maximum of "
                    + "\(ModelLimits.fieldsPerRecordType)")
        }
    }
}
