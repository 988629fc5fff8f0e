import StratusCloudModel

/// What the command line changes of a record: `name=value` for fields, and names of fields whose values go.
struct RecordChanges: Sendable {
    private var values: [(name: String, text: String)] = []
    private let removed: [String]

    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// - Throws: a usage error for a text of another form, and for a field that stands twice.
    init(set texts: [String], removed: [String]) throws(ToolError) {
        self.removed = removed
        var names = Set(removed)
        for text in texts {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
                throw .usage("--field '\(text)': the format is 'name=value'")
            }
            let name = String(text[..<sign])
            guard names.insert(name).inserted else { throw .usage("field '\(name)' is given twice") }
            values.append((name, String(text[text.index(after: sign)...])))
        }
        guard Set(removed).count == removed.count else { throw .usage("--remove has the same field twice") }
    }

    /// Returns the fields to send. A field that the schema does not know has the type that its value shows.
    /// - Throws: a usage error for a value that is not of its field's type.
    func fields(_ types: [String: FieldType]) throws(ToolError) -> [(name: String, field: FieldInput)] {
        var fields: [(name: String, field: FieldInput)] = []
        for (name, text) in values {
            let unquoted = QuotedText.unquoted(text)
            do {
                let type = types[name] ?? (unquoted == nil ? Self.likelyType(text) : FieldType(.string))
                fields.append((name, try CellText.field(unquoted ?? text, as: type, "field '\(name)'")))
            } catch {
                throw .usage(error.reason)
            }
        }
        return fields + removed.map { ($0, FieldInput(.null)) }
    }

    private static func likelyType(_ text: String) -> FieldType {
        var inference = ColumnInference()
        inference.add(text)
        return inference.type
    }
}
