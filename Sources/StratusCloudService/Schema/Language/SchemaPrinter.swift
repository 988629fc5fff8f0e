import StratusCloudModel

extension SchemaDocument {
    /// The document in the schema language, laid out as Apple's tool exports it: the same text for the same schema.
    var text: String {
        let document = canonical
        var text = "DEFINE SCHEMA\n\n"
        for role in document.roles { text += "    CREATE ROLE \(Self.quoted(role));\n\n" }
        for type in document.recordTypes { text += type.text }
        return text
    }

    /// A name as the language writes it.
    static func quoted(_ name: String) -> String {
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
            (name: SchemaDocument.quoted(field.name), type: field.typeText, kinds: field.kinds)
        }
        let nameWidth = (system + user).map(\.name.count).max() ?? 0
        // Names have a column, types have none: what stands behind them follows after a blank.
        var lines = (system + user).map { item -> String in
            let name = item.name + String(repeating: " ", count: nameWidth - item.name.count)
            return item.kinds.isEmpty ? "\(name) \(item.type)" : "\(name) \(item.type) \(item.kinds.text)"
        }
        lines += grantLines
        return "    RECORD TYPE \(SchemaDocument.quoted(name)) (\n"
            + lines.map { "        " + $0 }.joined(separator: ",\n") + "\n    );\n\n"
    }

    /// One for each role.
    private var grantLines: [String] {
        var lines: [(role: String, permissions: [String])] = []
        for grant in grants {
            if lines.last?.role == grant.role {
                lines[lines.count - 1].permissions.append(grant.permission.rawValue)
            } else {
                lines.append((grant.role, [grant.permission.rawValue]))
            }
        }
        return lines.map {
            "GRANT \($0.permissions.joined(separator: ", ")) TO \"\($0.role)\""
        }
    }
}

extension SchemaDocument.Field {
    /// The type as the language writes it.
    var typeText: String {
        guard isNumber else { return type.schemaText }
        return type.isList ? "LIST<NUMBER>" : "NUMBER"
    }
}

extension FieldType {
    /// As the language writes it: `LIST<STRING>`, `ENCRYPTED STRING`.
    var schemaText: String {
        let element = (isEncrypted ? "ENCRYPTED " : "") + scalar.schemaName
        return isList ? "LIST<\(element)>" : element
    }
}

extension FieldIndex.Kinds {
    /// The options of the language, with blanks between.
    var text: String { words.joined(separator: " ") }

    /// The options of the language.
    var words: [String] {
        [(FieldIndex.Kinds.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE")]
            .filter { contains($0.0) }.map(\.1)
    }
}
