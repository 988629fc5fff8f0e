import StratusCloudModel

/// A context's schema as values, for those who show it.
public struct SchemaDescription: Hashable, Sendable {
    /// A record type.
    public struct RecordType: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// The system's first, then the app's by name.
        public var fields: [Field]
        /// Who may do what in the public database; the system's roles first.
        public var grants: [RoleGrants]
    }

    /// A field.
    public struct Field: Hashable, Sendable {
        /// As the schema language names it.
        public var name: String
        /// In the words of the language, such as `LIST<STRING>`; without `ENCRYPTED`.
        public var type: String
        /// Whether devices encrypt it.
        public var isEncrypted: Bool
        /// Whether it has such an index, or will have when it is built.
        public var isQueryable: Bool
        /// Likewise.
        public var isSortable: Bool
        /// Likewise.
        public var isSearchable: Bool
        /// Whether every record has it.
        public var isSystem: Bool
    }

    /// What a role may do.
    public struct RoleGrants: Hashable, Sendable {
        /// The role.
        public var role: String
        /// `READ`, `CREATE`, `WRITE`.
        public var permissions: [String]
    }

    /// The whole in the schema language.
    public var text: String
    /// By name.
    public var recordTypes: [RecordType]
    /// The app's own, by name.
    public var roles: [String]
}

extension CloudService {
    /// The fields of the app's record types and of those that are Stratus's own, such as `StratusFile`, which no schema
    /// shows, by record type.
    /// - Throws: `notFound` if there is no such container.
    public func fieldTypes(of context: CloudContext) async throws(CloudError) -> [SchemaDescription.RecordType] {
        let reserved = ReservedZones.recordTypes.values.map(SchemaDocument.RecordType.init)
        return try await schemaDescription(of: context).recordTypes
            + reserved.sorted { $0.name < $1.name }.map(SchemaDescription.RecordType.init)
    }

    /// A context's schema as values.
    /// - Throws: `notFound` if there is no such container.
    public func schemaDescription(of context: CloudContext) async throws(CloudError) -> SchemaDescription {
        try await checkContainer(context)
        let document = SchemaDocument(try await schema(of: context))
        return SchemaDescription(
            text: document.text, recordTypes: document.recordTypes.map(SchemaDescription.RecordType.init),
            roles: document.roles)
    }
}

extension SchemaDescription.RecordType {
    fileprivate init(_ type: SchemaDocument.RecordType) {
        name = type.name
        fields =
            SystemFieldDeclaration.all.map { declaration in
                SchemaDescription.Field(
                    declaration.name, FieldType(declaration.type),
                    declaration.field.flatMap { type.systemFields[$0] } ?? [], isSystem: true)
            }
            + type.fields.map { SchemaDescription.Field($0.name, $0.type, $0.kinds, isSystem: false) }
        grants = []
        for grant in type.grants {
            if let index = grants.firstIndex(where: { $0.role == grant.role }) {
                grants[index].permissions.append(grant.permission.rawValue)
            } else {
                grants.append(
                    SchemaDescription.RoleGrants(role: grant.role, permissions: [grant.permission.rawValue]))
            }
        }
    }
}

extension SchemaDescription.Field {
    fileprivate init(_ name: String, _ type: FieldType, _ kinds: FieldIndex.Kinds, isSystem: Bool) {
        self.init(
            name: name, type: FieldType(type.scalar, isList: type.isList).schemaText, isEncrypted: type.isEncrypted,
            isQueryable: kinds.contains(.queryable), isSortable: kinds.contains(.sortable),
            isSearchable: kinds.contains(.searchable), isSystem: isSystem)
    }
}
