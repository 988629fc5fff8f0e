import CloudModel

/// A schema as the schema language writes it: what is wanted, before index numbers are given.
struct SchemaDocument: Hashable, Sendable {
    struct RecordType: Hashable, Sendable {
        var name: String
        var fields: [Field] = []
        var systemFields: [SystemField: FieldIndex.Kinds] = [:]
        var grants: [Grant] = []
    }

    struct Field: Hashable, Sendable {
        var name: String
        var type: FieldType
        var kinds: FieldIndex.Kinds
    }

    var recordTypes: [RecordType] = []
    var roles: [String] = []
}

extension SchemaDocument {
    /// What a schema holds, types and fields in alphabetical order.
    init(_ schema: Schema) {
        recordTypes = schema.recordTypes.values.sorted { $0.name < $1.name }.map { type in
            RecordType(
                name: type.name,
                fields: type.fields.values.sorted { $0.name < $1.name }.map {
                    Field(name: $0.name, type: $0.type, kinds: $0.index?.kinds ?? [])
                },
                systemFields: type.systemFields.mapValues(\.kinds), grants: type.grants)
        }
    }

    /// The document in the schema language, laid out as Apple's tool exports it.
    var text: String {
        var text = "DEFINE SCHEMA\n\n"
        for role in roles { text += "    CREATE ROLE \(Self.quoted(role));\n\n" }
        for type in recordTypes { text += type.text }
        return text
    }

    fileprivate static func quoted(_ name: String) -> String {
        let isPlain = SchemaLexer.isPlainIdentifier(name) && !SchemaLexer.reservedWords.contains(name.lowercased())
        return isPlain ? name : "\"\(name)\""
    }
}

extension SchemaDocument.RecordType {
    fileprivate var text: String {
        let system = SystemFieldDeclaration.all.map { declaration in
            (
                name: "\"\(declaration.name)\"", type: declaration.type.schemaName,
                kinds: declaration.field.flatMap { systemFields[$0] } ?? []
            )
        }
        let user = fields.map { field in
            (name: SchemaDocument.quoted(field.name), type: field.type.schemaText, kinds: field.kinds)
        }
        let nameWidth = (system + user).map(\.name.count).max() ?? 0
        let typeWidth = (system + user).map(\.type.count).max() ?? 0
        var lines = (system + user).map { item -> String in
            let options = item.kinds.words
            let name = item.name + String(repeating: " ", count: nameWidth - item.name.count)
            guard !options.isEmpty else { return "\(name) \(item.type)" }
            let type = item.type + String(repeating: " ", count: typeWidth - item.type.count)
            return "\(name) \(type) \(options.joined(separator: " "))"
        }
        lines += grants.map { "GRANT \($0.permission.rawValue) TO \"\($0.role)\"" }
        return "    RECORD TYPE \(SchemaDocument.quoted(name)) (\n"
            + lines.map { "        " + $0 }.joined(separator: ",\n") + "\n    );\n\n"
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
}

extension FieldType {
    /// As the language writes it: `LIST<STRING>`, `ENCRYPTED STRING`.
    var schemaText: String {
        let element = (isEncrypted ? "ENCRYPTED " : "") + scalar.schemaName
        return isList ? "LIST<\(element)>" : element
    }
}

extension FieldIndex.Kinds {
    fileprivate var words: [String] {
        [(FieldIndex.Kinds.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE")]
            .filter { contains($0.0) }.map(\.1)
    }
}
