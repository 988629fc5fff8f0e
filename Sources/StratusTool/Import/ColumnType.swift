import StratusCloudModel

/// How the columns of a file become fields.
struct ColumnRules: Hashable, Sendable {
    /// The column that exports write the names of records to. It names them and is no field.
    static let recordNameColumn = "recordName"

    /// The types of columns: first those that the command line declares, then those that ``ColumnTyping`` finds.
    var types: [String: FieldType] = [:]
    /// Columns that hold lists, with the text between the elements.
    var listSeparators: [String: String] = [:]
    /// Locations made of two columns, which do not become fields themselves.
    var locations: [LocationRule] = []
    /// The column that holds the record names. It becomes a field, too, unless it is ``recordNameColumn``.
    var nameColumn: String?
    /// Whether exported records keep who made and changed them and when.
    var restoresHistory = true

    /// The columns of a location.
    struct LocationRule: Hashable, Sendable {
        var field: String
        var latitude: String
        var longitude: String
    }

    /// `name=TYPE`.
    mutating func addColumn(_ text: String) throws(ToolError) {
        let (name, word) = try Self.pair(text, option: "--column", form: "name=TYPE")
        guard let type = FieldType(schemaName: word), type.scalar != .asset else {
            let known = ScalarType.allCases.filter { $0 != .asset }.map(\.schemaName).joined(separator: ", ")
            throw .usage("--column \(text): '\(word)' is not a type; the types are \(known), and LIST<TYPE>")
        }
        guard types.updateValue(type, forKey: name) == nil else { throw .usage("--column \(name) is given twice") }
    }

    /// `field=separator`.
    mutating func addList(_ text: String) throws(ToolError) {
        let (name, separator) = try Self.pair(text, option: "--list", form: "field=separator")
        guard listSeparators.updateValue(separator, forKey: name) == nil else {
            throw .usage("--list \(name) is given twice")
        }
    }

    /// `field=latitudeColumn,longitudeColumn`.
    mutating func addLocation(_ text: String) throws(ToolError) {
        let form = "field=latitudeColumn,longitudeColumn"
        let (field, columns) = try Self.pair(text, option: "--location", form: form)
        let parts = columns.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw .usage("--location \(text): the format is \(form)")
        }
        locations.append(LocationRule(field: field, latitude: String(parts[0]), longitude: String(parts[1])))
    }

    private static func pair(
        _ text: String, option: String, form: String
    ) throws(ToolError) -> (String, String) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex, text.index(after: sign) < text.endIndex
        else {
            throw .usage("\(option) \(text): the format is \(form)")
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    /// All columns that the rules name.
    var columns: Set<String> {
        Set(types.keys).union(listSeparators.keys).union(locations.flatMap { [$0.latitude, $0.longitude] })
            .union(nameColumn.map { [$0] } ?? [])
    }

    /// Whether a column of CSV becomes a field of its own.
    func isField(_ column: String) -> Bool {
        column != Self.recordNameColumn && !isPartOfLocation(column)
    }

    /// Whether a column only makes part of a location.
    func isPartOfLocation(_ column: String) -> Bool {
        locations.contains { $0.latitude == column || $0.longitude == column }
    }
}
