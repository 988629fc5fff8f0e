import StratusCloudModel

extension Schema {
    /// Adds what a document has beyond the schema. Nothing is removed and no type changes; an index that is new on a
    /// field that was there before is built first. Grants take the place of the former ones.
    /// - Throws: `conflict` naming the field whose type differs, `badRequest` for a grant to nobody.
    mutating func apply(_ document: SchemaDocument) throws(CloudError) {
        var losses = SchemaParts()
        try adopt(document, isWhole: false, &losses)
    }

    /// Makes the schema what a document says, the whole of it: what it does not mention goes, but for the system's own
    /// types.
    /// - Returns: what goes, or is there with another type afterwards. Nobody may have it.
    mutating func replace(with document: SchemaDocument) throws(CloudError) -> SchemaParts {
        var losses = SchemaParts()
        try adopt(document, isWhole: true, &losses)
        let mentioned = Set(document.recordTypes.map(\.name))
        for (name, type) in recordTypes
        where !mentioned.contains(name) && !SystemRecordType.all.contains(name)
            && ReservedZones.recordTypes[name] == nil
        {
            drop(type)
            recordTypes[name] = nil
            losses.recordTypes.insert(name)
        }
        try checkRoles()
        return losses
    }

    private mutating func adopt(
        _ document: SchemaDocument, isWhole: Bool, _ losses: inout SchemaParts
    ) throws(CloudError) {
        setRoles(isWhole ? Set(document.roles) : roles.union(document.roles))
        for wanted in document.recordTypes where wanted.name != SystemRecordType.encryptionKeys {
            guard ReservedZones.recordTypes[wanted.name] == nil else {
                throw CloudError(.badRequest, "record type '\(wanted.name)' is reserved")
            }
            let known = recordTypes[wanted.name]
            var type = known ?? RecordTypeSchema(name: wanted.name)
            for field in wanted.fields { try adopt(field, in: &type, isWhole: isWhole, &losses) }
            if isWhole { removeFields(of: &type, notIn: wanted, &losses) }
            guard type.fields.count <= ModelLimits.fieldsPerRecordType else {
                throw CloudError(
                    .badRequest,
                    "record type '\(wanted.name)' would have more than \(ModelLimits.fieldsPerRecordType) fields")
            }
            for field in SystemField.allCases {
                adopt(field, wanted, in: &type, isWhole: isWhole, isNew: known == nil)
            }
            if !wanted.grants.isEmpty {
                type.grants = Grant.canonical(wanted.grants)
            } else if isWhole {
                type.grants = type.name == SystemRecordType.users ? RecordTypeSchema.users.grants : Grant.defaults
            }
            recordTypes[wanted.name] = type
        }
        if !isWhole { try checkRoles() }
        try checkTypeCount()
    }

    private mutating func adopt(
        _ wanted: SchemaDocument.Field, in type: inout RecordTypeSchema, isWhole: Bool, _ losses: inout SchemaParts
    ) throws(CloudError) {
        if var known = type.fields[wanted.name] {
            if wanted.fits(known.type) {
                let kinds = isWhole ? wanted.kinds : wanted.kinds.union(known.wantedKinds)
                adjust(&known.index, &known.building, to: kinds)
                type.fields[wanted.name] = known
                return
            }
            guard isWhole else {
                throw CloudError(
                    .conflict,
                    "field '\(wanted.name)' in record type '\(type.name)' is \(known.type.schemaText), "
                        + "and types never change (wanted: \(wanted.typeText))")
            }
            drop(known)
            losses.insert(field: wanted.name, of: type.name)
        }
        // No record has it, so its index is complete.
        type.fields[wanted.name] = FieldSchema(
            name: wanted.name, type: wanted.type, index: wanted.kinds.isEmpty ? nil : newIndex(wanted.kinds))
    }

    private mutating func adopt(
        _ field: SystemField, _ wanted: SchemaDocument.RecordType, in type: inout RecordTypeSchema, isWhole: Bool,
        isNew: Bool
    ) {
        var kinds = wanted.systemFields[field] ?? []
        // The language has no words for these two: every type has them.
        if field == .parent || field == .share {
            kinds = isNew ? field.allIndexKinds : type.wantedKinds(of: field)
        } else if !isWhole {
            kinds.formUnion(type.wantedKinds(of: field))
        }
        // Names of records have an index of their own, which is always there.
        if isNew || field == .recordName {
            type.systemFields[field] =
                kinds.isEmpty ? nil : FieldIndex(kinds: kinds, number: type.systemFields[field]?.number ?? newNumber())
        } else {
            adjust(&type.systemFields[field], &type.systemFieldsBuilding[field], to: kinds)
        }
    }

    private mutating func removeFields(
        of type: inout RecordTypeSchema, notIn wanted: SchemaDocument.RecordType, _ losses: inout SchemaParts
    ) {
        let mentioned = Set(wanted.fields.map(\.name))
        for (name, field) in type.fields where !mentioned.contains(name) {
            if type.name == SystemRecordType.users, name == RecordTypeSchema.rolesField { continue }
            drop(field)
            type.fields[name] = nil
            losses.insert(field: name, of: type.name)
        }
    }

    /// Members of a role that is no more are members of nothing.
    mutating func setRoles(_ wanted: Set<String>) {
        let gone = roles.subtracting(wanted)
        roles = wanted
        guard !gone.isEmpty else { return }
        members = members.compactMapValues { held in
            let rest = held.subtracting(gone)
            return rest.isEmpty ? nil : rest
        }
    }

    /// - Throws: `badRequest` naming the grant whose role nobody created.
    func checkRoles() throws(CloudError) {
        for type in recordTypes.values.sorted(by: { $0.name < $1.name }) {
            for grant in type.grants where !Grant.systemRoles.contains(grant.role) && !roles.contains(grant.role) {
                throw CloudError(
                    .badRequest,
                    "record type '\(type.name)' grants \(grant.permission.rawValue) to role '\(grant.role)', "
                        + "which is not created: CREATE ROLE \(SchemaDocument.quoted(grant.role));")
            }
        }
    }
}

extension SystemRecordType {
    /// The types that are there whatever a schema says.
    static let all = [users, share, encryptionKeys]
}
