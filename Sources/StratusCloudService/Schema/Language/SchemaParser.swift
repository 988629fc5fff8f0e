import StratusCloudModel

/// Reads the schema language:
///
///     schema      := DEFINE SCHEMA { ( CREATE ROLE name | record-type ) ";" }
///     record-type := RECORD TYPE name "(" item { "," item } ")"
///     item        := name type { QUERYABLE | SORTABLE | SEARCHABLE }
///                  | GRANT permission { "," permission } TO role
///     type        := element | LIST "<" element ">"
///     element     := [ ENCRYPTED ] primitive | NUMBER [ PREFERRED AS ( INT64 | DOUBLE ) ]
///
/// Keywords may be written in any case; what is quoted is never one.
struct SchemaParser {
    /// Bytes of a schema file.
    static let maximumSize = 4 * 1_048_576

    private let tokens: [SchemaLexer.Token]
    private var position = 0

    /// - Throws: `badRequest` with line, column and what was expected.
    static func parse(_ text: String) throws(CloudError) -> SchemaDocument {
        do {
            return try read(text)
        } catch {
            throw error.refusal
        }
    }

    static func read(_ text: String) throws(SchemaMistake) -> SchemaDocument {
        guard text.utf8.count <= maximumSize else {
            throw SchemaMistake(line: 1, column: 1, message: "a schema has at most \(maximumSize) bytes")
        }
        var lexer = SchemaLexer(text)
        var parser = SchemaParser(tokens: try lexer.tokens())
        return try parser.document()
    }

    private init(tokens: [SchemaLexer.Token]) { self.tokens = tokens }

    private mutating func document() throws(SchemaMistake) -> SchemaDocument {
        var document = SchemaDocument()
        var names: Set<String> = []
        try expect("DEFINE")
        try expect("SCHEMA")
        while current.kind != .end {
            if takes("CREATE") {
                try expect("ROLE")
                let start = current
                let role = try roleName()
                guard !Names.isReserved(role) else {
                    throw error(
                        "role '\(role)' is a system role: names that begin with '_' cannot be created", at: start)
                }
                guard !document.roles.contains(role) else {
                    throw error("role '\(role)' is created twice", at: start)
                }
                document.roles.append(role)
            } else {
                try expect("RECORD")
                try expect("TYPE")
                let start = current
                let type = try recordType()
                guard names.insert(type.name).inserted else {
                    throw error("record type '\(type.name)' is defined twice", at: start)
                }
                document.recordTypes.append(type)
                guard document.recordTypes.count <= SchemaCatalog.maximumRecordTypes else {
                    throw error("a schema has at most \(SchemaCatalog.maximumRecordTypes) record types", at: start)
                }
            }
            try expect(sign: ";")
        }
        return document
    }

    private mutating func recordType() throws(SchemaMistake) -> SchemaDocument.RecordType {
        let start = current
        var type = SchemaDocument.RecordType(name: try name("a record type name"))
        do {
            if type.name != SystemRecordType.share { try Names.checkRecordType(type.name) }
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

    private mutating func grant(into type: inout SchemaDocument.RecordType) throws(SchemaMistake) {
        var permissions: [Grant.Permission] = []
        repeat {
            let token = current
            guard let permission = Grant.Permission(rawValue: try name("READ, CREATE or WRITE").uppercased()) else {
                throw expected("READ, CREATE or WRITE", at: token)
            }
            permissions.append(permission)
        } while takes(sign: ",")
        try expect("TO")
        let start = current
        let role = try roleName()
        guard !Names.isReserved(role) || Grant.systemRoles.contains(role) else {
            throw expected("one of \(Grant.systemRoles.joined(separator: ", ")) or a role that was created", at: start)
        }
        type.grants += permissions.map { Grant(permission: $0, role: role) }
    }

    private mutating func item(
        into type: inout SchemaDocument.RecordType, _ names: inout Set<String>
    ) throws(SchemaMistake) {
        let start = current
        let fieldName = try name("a field name or GRANT")
        guard names.insert(fieldName).inserted else {
            throw error("field '\(fieldName)' is defined twice in record type '\(type.name)'", at: start)
        }
        let (fieldType, isNumber) = try self.fieldType()
        if Names.isReserved(fieldName) {
            let kinds = try options(of: fieldName, fieldType, .all)
            try systemField(fieldName, fieldType, kinds, into: &type, at: start)
            return
        }
        do {
            try Names.checkField(fieldName, recordType: type.name)
        } catch let refusal {
            throw error(refusal.reason, at: start)
        }
        let possible = FieldIndex.possibleKinds(for: fieldType)
        let kinds = try options(of: fieldName, fieldType, possible)
        guard type.fields.count < ModelLimits.fieldsPerRecordType else {
            throw error(
                "record type '\(type.name)' has more than \(ModelLimits.fieldsPerRecordType) fields", at: start)
        }
        type.fields.append(
            SchemaDocument.Field(name: fieldName, type: fieldType, kinds: kinds, isNumber: isNumber))
    }

    private func systemField(
        _ name: String, _ fieldType: FieldType, _ kinds: FieldIndex.Kinds,
        into type: inout SchemaDocument.RecordType, at start: SchemaLexer.Token
    ) throws(SchemaMistake) {
        guard let declaration = SystemFieldDeclaration.all.first(where: { $0.name == name }) else {
            throw error("there is no system field '\(name)'", at: start)
        }
        guard fieldType == FieldType(declaration.type) else {
            throw error("system field '\(name)' is of type \(declaration.type.schemaName)", at: start)
        }
        guard let field = declaration.field, !kinds.isEmpty else { return }
        guard kinds.isSubset(of: field.allIndexKinds) else {
            throw error("system field '\(name)' cannot be \(kinds.subtracting(field.allIndexKinds).text)", at: start)
        }
        type.systemFields[field] = kinds
    }

    private mutating func fieldType() throws(SchemaMistake) -> (FieldType, isNumber: Bool) {
        guard takes("LIST") else { return try elementType() }
        try expect(sign: "<")
        let (element, isNumber) = try elementType()
        try expect(sign: ">")
        return (FieldType(element.scalar, isList: true, isEncrypted: element.isEncrypted), isNumber)
    }

    private mutating func elementType() throws(SchemaMistake) -> (FieldType, isNumber: Bool) {
        let isEncrypted = takes("ENCRYPTED")
        if !isEncrypted, takes("NUMBER") { return try number() }
        let token = current
        let word = try name("a type").uppercased()
        guard let scalar = ScalarType.allCases.first(where: { $0.schemaName == word }) else {
            throw expected("one of \(ScalarType.allCases.map(\.schemaName).joined(separator: ", "))", at: token)
        }
        guard !isEncrypted || scalar.canBeEncrypted else {
            throw error("type \(word) cannot be ENCRYPTED", at: token)
        }
        return (FieldType(scalar, isEncrypted: isEncrypted), false)
    }

    /// What follows `NUMBER`.
    private mutating func number() throws(SchemaMistake) -> (FieldType, isNumber: Bool) {
        guard takes("PREFERRED") else { return (FieldType(.double), true) }
        try expect("AS")
        if takes("INT64") { return (FieldType(.int64), false) }
        if takes("DOUBLE") { return (FieldType(.double), false) }
        throw expected("INT64 or DOUBLE", at: current)
    }

    /// - Parameter possible: The indexes that a field of this type can have.
    private mutating func options(
        of field: String, _ type: FieldType, _ possible: FieldIndex.Kinds
    ) throws(SchemaMistake) -> FieldIndex.Kinds {
        var kinds: FieldIndex.Kinds = []
        while true {
            let start = current
            let kind: FieldIndex.Kinds
            if takes("QUERYABLE") {
                kind = .queryable
            } else if takes("SORTABLE") {
                kind = .sortable
            } else if takes("SEARCHABLE") {
                kind = .searchable
            } else {
                return kinds
            }
            guard possible.contains(kind) else {
                throw error(
                    "field '\(field)' of type \(type.schemaText) cannot have such an index: it cannot be \(kind.text)",
                    at: start)
            }
            kinds.insert(kind)
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

    private mutating func expect(_ keyword: String) throws(SchemaMistake) {
        guard takes(keyword) else { throw expected(keyword, at: current) }
    }

    private mutating func expect(sign: Character) throws(SchemaMistake) {
        guard takes(sign: sign) else { throw expected("'\(sign)'", at: current) }
    }

    private mutating func name(_ what: String) throws(SchemaMistake) -> String {
        guard case .word(let word, _) = current.kind else { throw expected(what, at: current) }
        position += 1
        return word
    }

    private mutating func roleName() throws(SchemaMistake) -> String {
        let start = current
        let role = try name("a role name")
        guard !role.isEmpty, role.utf8.count <= ModelLimits.nameLength else {
            throw error("a role's name has 1 to \(ModelLimits.nameLength) bytes", at: start)
        }
        return role
    }

    private func expected(_ what: String, at token: SchemaLexer.Token) -> SchemaMistake {
        var mistake = error("expected \(what), found \(token.text)", at: token)
        mistake.expected = what
        return mistake
    }

    private func error(_ message: String, at token: SchemaLexer.Token) -> SchemaMistake {
        SchemaMistake(line: token.line, column: token.column, message: message)
    }
}
