import StratusCloudModel

/// A schema as the schema language writes it: what is wanted, before index numbers are given.
struct SchemaDocument: Hashable, Sendable {
    struct RecordType: Hashable, Sendable {
        var name: String
        var fields: [Field] = []
        var systemFields: [SystemField: FieldIndex.Kinds] = [:]
        /// None stands for the default ones.
        var grants: [Grant] = []
    }

    struct Field: Hashable, Sendable {
        var name: String
        var type: FieldType
        var kinds: FieldIndex.Kinds
        /// Whether it is declared as `NUMBER`: whole or broken as the field is already, broken if it is new.
        var isNumber = false

        /// Whether a field that is there has the type that is wanted.
        func fits(_ known: FieldType) -> Bool {
            guard isNumber, known.scalar == .int64 else { return known == type }
            return known.isList == type.isList && !known.isEncrypted
        }
    }

    var recordTypes: [RecordType] = []
    var roles: [String] = []
}

extension SchemaDocument {
    /// What a schema holds, but for what is Stratus's own.
    init(_ schema: Schema) {
        roles = schema.roles.sorted()
        recordTypes = schema.recordTypes.values.filter {
            $0.name != SystemRecordType.encryptionKeys && ReservedZones.recordTypes[$0.name] == nil
        }.map(RecordType.init)
        self = canonical
    }

    /// The same in the order in which it is printed, without repetitions.
    var canonical: SchemaDocument {
        var document = self
        document.roles = Set(roles).sorted()
        document.recordTypes = recordTypes.map(\.canonical).sorted { $0.name < $1.name }
        return document
    }

    subscript(type name: String) -> RecordType? { recordTypes.first { $0.name == name } }
}

extension SchemaDocument.RecordType {
    /// What a record type is. While an index is being built, it is part of the schema already.
    init(_ type: RecordTypeSchema) {
        name = type.name
        fields = type.fields.values.map { field in
            SchemaDocument.Field(name: field.name, type: field.type, kinds: field.wantedKinds)
        }
        // The language has no words for parent and share, whose indexes every type has.
        for declaration in SystemFieldDeclaration.all {
            guard let field = declaration.field else { continue }
            let kinds = type.wantedKinds(of: field)
            if !kinds.isEmpty { systemFields[field] = kinds }
        }
        grants = type.grants
    }

    fileprivate var canonical: SchemaDocument.RecordType {
        var type = self
        type.fields.sort { $0.name < $1.name }
        type.systemFields = systemFields.filter { !$0.value.isEmpty }
        type.grants = Grant.canonical(grants)
        return type
    }
}

extension Grant {
    /// Each once; by role, those of the system first.
    static func canonical(_ grants: [Grant]) -> [Grant] {
        let order: [Permission] = [.read, .create, .write]
        func rank(_ grant: Grant) -> (Int, String, Int) {
            (grant.role.hasPrefix("_") ? 0 : 1, grant.role, order.firstIndex(of: grant.permission) ?? 0)
        }
        return Set(grants).sorted { rank($0) < rank($1) }
    }
}

/// The fields that the language lists for every type, with what stands behind them.
struct SystemFieldDeclaration {
    let name: String
    let type: ScalarType
    /// nil for the change tag, which has no index.
    let field: SystemField?

    static let all = [
        SystemFieldDeclaration(name: "___createTime", type: .timestamp, field: .createdTimestamp),
        SystemFieldDeclaration(name: "___createdBy", type: .reference, field: .createdUserRecordName),
        SystemFieldDeclaration(name: "___etag", type: .string, field: nil),
        SystemFieldDeclaration(name: "___modTime", type: .timestamp, field: .modifiedTimestamp),
        SystemFieldDeclaration(name: "___modifiedBy", type: .reference, field: .modifiedUserRecordName),
        SystemFieldDeclaration(name: "___recordID", type: .reference, field: .recordName),
    ]

    /// The language's name of a system field.
    static func name(of field: SystemField) -> String {
        all.first { $0.field == field }?.name ?? field.rawValue
    }
}
