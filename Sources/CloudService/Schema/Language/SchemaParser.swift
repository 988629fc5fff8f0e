import CloudModel

/// Reads the schema language:
///
///     schema      := DEFINE SCHEMA { ( CREATE ROLE name | record-type ) ";" }
///     record-type := RECORD TYPE name "(" item { "," item } ")"
///     item        := name type { QUERYABLE | SORTABLE | SEARCHABLE }
///                  | GRANT permission { "," permission } TO role
struct SchemaParser {
    /// Bytes of a schema file.
    static let maximumSize = 4 * 1_048_576

    private let tokens: [SchemaLexer.Token]
    private var position = 0

    /// - Throws: `badRequest` with line, column and what was expected.
    static func parse(_ text: String) throws(CloudError) -> SchemaDocument {
        guard text.utf8.count <= maximumSize else {
            throw CloudError(.badRequest, "a schema has at most \(maximumSize) bytes")
        }
        var lexer = SchemaLexer(text)
        var parser = SchemaParser(tokens: try lexer.tokens())
        return try parser.document()
    }

    private init(tokens: [SchemaLexer.Token]) { self.tokens = tokens }

    private mutating func document() throws(CloudError) -> SchemaDocument {
        var document = SchemaDocument()
        var names: Set<String> = []
        try expect("DEFINE")
        try expect("SCHEMA")
        while current.kind != .end {
            if takes("CREATE") {
                try expect("ROLE")
                document.roles.append(try name("a role name"))
            } else {
                try expect("RECORD")
                try expect("TYPE")
                let start = current
                let type = try recordType()
                guard names.insert(type.name).inserted else {
                    throw error("record type '\(type.name)' is defined twice", at: start)
                }
                document.recordTypes.append(type)
            }
            try expect(sign: ";")
        }
        return document
    }

    private mutating func recordType() throws(CloudError) -> SchemaDocument.RecordType {
        let start = current
        var type = SchemaDocument.RecordType(name: try name("a record type name"))
        do {
            try Names.checkRecordType(type.name)
        } catch let refusal {
            throw error(refusal.reason, at: start)
        }
        var names: Set<String> = []
        try expect(sign: "(")
        repeat {
            if takes("GRANT") {
                try grant(into: &type)
            } else {
                try item(into: &type, &names)
            }
        } while takes(sign: ",")
        try expect(sign: ")")
        return type
    }

    private mutating func grant(into type: inout SchemaDocument.RecordType) throws(CloudError) {
        var permissions: [Grant.Permission] = []
        repeat {
            let token = current
            guard let permission = Grant.Permission(rawValue: try name("READ, CREATE or WRITE").uppercased()) else {
                throw expected("READ, CREATE or WRITE", at: token)
            }
            permissions.append(permission)
        } while takes(sign: ",")
        try expect("TO")
        let role = try name("a role name")
        type.grants += permissions.map { Grant(permission: $0, role: role) }
    }

    private mutating func item(
        into type: inout SchemaDocument.RecordType, _ names: inout Set<String>
    ) throws(CloudError) {
        let start = current
        let fieldName = try name("a field name or GRANT")
        guard names.insert(fieldName).inserted else {
            throw error("field '\(fieldName)' is defined twice in record type '\(type.name)'", at: start)
        }
        let fieldType = try self.fieldType()
        let kinds = try options()
        if Names.isReserved(fieldName) {
            try systemField(fieldName, fieldType, kinds, into: &type, at: start)
            return
        }
        do {
            try Names.checkField(fieldName, recordType: type.name)
        } catch let refusal {
            throw error(refusal.reason, at: start)
        }
        let possible = FieldIndex.allKinds(for: fieldType)
        guard kinds.isSubset(of: possible) else {
            throw error("field '\(fieldName)' of type \(fieldType.schemaText) cannot have such an index", at: start)
        }
        type.fields.append(SchemaDocument.Field(name: fieldName, type: fieldType, kinds: kinds))
    }

    private func systemField(
        _ name: String, _ fieldType: FieldType, _ kinds: FieldIndex.Kinds,
        into type: inout SchemaDocument.RecordType, at start: SchemaLexer.Token
    ) throws(CloudError) {
        guard let declaration = SystemFieldDeclaration.all.first(where: { $0.name == name }) else {
            throw error("there is no system field '\(name)'", at: start)
        }
        guard fieldType == FieldType(declaration.type) else {
            throw error("system field '\(name)' is of type \(declaration.type.schemaName)", at: start)
        }
        guard let field = declaration.field, !kinds.isEmpty else { return }
        type.systemFields[field] = kinds.intersection(field.allIndexKinds)
    }

    private mutating func fieldType() throws(CloudError) -> FieldType {
        if takes("LIST") {
            try expect(sign: "<")
            let element = try elementType()
            try expect(sign: ">")
            return FieldType(element.scalar, isList: true, isEncrypted: element.isEncrypted)
        }
        return try elementType()
    }

    private mutating func elementType() throws(CloudError) -> FieldType {
        let isEncrypted = takes("ENCRYPTED")
        let token = current
        let word = try name("a type").uppercased()
        guard let scalar = ScalarType.allCases.first(where: { $0.schemaName == word }) else {
            throw expected("one of \(ScalarType.allCases.map(\.schemaName).joined(separator: ", "))", at: token)
        }
        guard !isEncrypted || scalar.canBeEncrypted else {
            throw error("type \(word) cannot be ENCRYPTED", at: token)
        }
        return FieldType(scalar, isEncrypted: isEncrypted)
    }

    private mutating func options() throws(CloudError) -> FieldIndex.Kinds {
        var kinds: FieldIndex.Kinds = []
        while true {
            if takes("QUERYABLE") {
                kinds.insert(.queryable)
            } else if takes("SORTABLE") {
                kinds.insert(.sortable)
            } else if takes("SEARCHABLE") {
                kinds.insert(.searchable)
            } else {
                return kinds
            }
        }
    }

    // MARK: - Tokens

    private var current: SchemaLexer.Token { tokens[min(position, tokens.count - 1)] }

    private mutating func takes(_ keyword: String) -> Bool {
        guard case .word(let word, isQuoted: false) = current.kind, word.uppercased() == keyword else { return false }
        position += 1
        return true
    }

    private mutating func takes(sign: Character) -> Bool {
        guard current.kind == .sign(sign) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ keyword: String) throws(CloudError) {
        guard takes(keyword) else { throw expected(keyword, at: current) }
    }

    private mutating func expect(sign: Character) throws(CloudError) {
        guard takes(sign: sign) else { throw expected("'\(sign)'", at: current) }
    }

    private mutating func name(_ what: String) throws(CloudError) -> String {
        guard case .word(let word, _) = current.kind else { throw expected(what, at: current) }
        position += 1
        return word
    }

    private func expected(_ what: String, at token: SchemaLexer.Token) -> CloudError {
        error("expected \(what), found \(token.text)", at: token)
    }

    private func error(_ message: String, at token: SchemaLexer.Token) -> CloudError {
        CloudError(.badRequest, "schema line \(token.line), column \(token.column): \(message)")
    }
}
