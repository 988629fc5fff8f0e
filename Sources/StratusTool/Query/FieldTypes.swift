import StratusCloudModel
import StratusCloudServer

/// The field types of a context's record types, by which text of the command line becomes values.
struct FieldTypes: Sendable {
    /// A field and its type.
    struct Column: Hashable, Sendable {
        var name: String
        var type: FieldType
    }

    private var columns: [String: [Column]] = [:]

    /// Knows no record type.
    init() {}

    /// Reads the types from the schema of a context.
    init(of context: ControlContext, _ operation: any Operator) async throws(ToolError) {
        guard
            case .recordTypes(let types) = try await operation.perform(.schema(.recordTypes(context: context)))
        else { throw .unexpectedAnswer }
        for type in types { columns[type.name] = type.fields.compactMap(Column.init) }
    }

    /// Whether the schema has the record type.
    func contains(_ recordType: String) -> Bool { columns[recordType] != nil }

    /// Returns the fields of a record type in the order of the schema; none for an unknown one.
    func columns(of recordType: String) -> [Column] { columns[recordType] ?? [] }

    /// Returns the types of the fields of a record type by name; none for an unknown one.
    func types(of recordType: String) -> [String: FieldType] {
        Dictionary(columns(of: recordType).map { ($0.name, $0.type) }) { first, _ in first }
    }
}

extension FieldTypes.Column {
    fileprivate init?(_ field: ControlRecordType.Field) {
        guard let scalar = ScalarType.allCases.first(where: { $0.schemaName == field.scalar }) else { return nil }
        self.init(name: field.name, type: FieldType(scalar, isList: field.isList, isEncrypted: field.isEncrypted))
    }
}

extension FieldType {
    /// The type in the words of the schema language, such as `LIST<STRING>`.
    var schemaName: String { isList ? "LIST<\(scalar.schemaName)>" : scalar.schemaName }

    /// Reads a type in the words of the schema language, in any case.
    init?(schemaName: String) {
        let word = schemaName.uppercased()
        let isList = word.hasPrefix("LIST<") && word.hasSuffix(">")
        let name = isList ? String(word.dropFirst(5).dropLast()) : word
        guard let scalar = ScalarType.allCases.first(where: { $0.schemaName == name }) else { return nil }
        self.init(scalar, isList: isList)
    }
}
