import StratusCloudModel

/// Makes records of the rows of CSV.
struct CSVMapper: Sendable {
    let header: [String]
    let rules: ColumnRules
    private let positions: [String: Int]

    /// - Throws: ``ToolError`` if the header repeats a name, or lacks a column that the rules name.
    init(header: [String], rules: ColumnRules) throws(ToolError) {
        var positions: [String: Int] = [:]
        for (index, name) in header.enumerated() {
            guard !name.isEmpty else { throw ToolError("column \(index + 1) of the header has no name") }
            guard positions.updateValue(index, forKey: name) == nil else {
                throw ToolError("the header names column '\(name)' twice")
            }
        }
        let missing = rules.columns.filter { positions[$0] == nil }.sorted()
        guard missing.isEmpty else {
            throw ToolError("the file has no column '\(missing.joined(separator: "', '"))'; it has \(header)")
        }
        self.header = header
        self.rules = rules
        self.positions = positions
    }

    /// The column that names the records: without another one, the column that exports write their names to.
    private var nameColumn: String? {
        rules.nameColumn ?? (positions[ColumnRules.recordNameColumn] == nil ? nil : ColumnRules.recordNameColumn)
    }

    func record(_ row: [String]) throws(RowError) -> RecordInput {
        guard row.count == header.count else {
            throw RowError("the row has \(row.count) cells, the header has \(header.count)")
        }
        var input = RecordInput()
        for (name, text) in zip(header, row) where !text.isEmpty && rules.isField(name) {
            input.fields.append((name, try field(name, text)))
        }
        for location in rules.locations {
            let (latitude, longitude) = (cell(location.latitude, row), cell(location.longitude, row))
            if latitude.isEmpty, longitude.isEmpty { continue }
            let value = try TextValue.location(latitude, longitude, "location '\(location.field)'")
            input.fields.append(
                (location.field, FieldInput(.scalar(.location(value)), declaredType: .scalar(.location))))
        }
        if let column = nameColumn {
            let name = cell(column, row)
            guard !name.isEmpty else { throw RowError("column '\(column)', which names the record, is empty") }
            input.recordName = name
        }
        return input
    }

    private func cell(_ column: String, _ row: [String]) -> String {
        positions[column].map { row[$0] } ?? ""
    }

    private func field(_ name: String, _ text: String) throws(RowError) -> FieldInput {
        let type = rules.types[name] ?? FieldType(.string)
        let subject = "column '\(name)'"
        guard let separator = rules.listSeparators[name] else { return try CellText.field(text, as: type, subject) }
        var elements: [InputValue] = []
        for part in TextValue.parts(text, separator) {
            elements.append(.scalar(try TextValue.parse(part, as: type.scalar, subject)))
        }
        return FieldInput(.list(elements), declaredType: .list(type.scalar), isEncrypted: type.isEncrypted)
    }
}

extension TextValue {
    /// The parts of a text between separators, without space around them; empty ones are left out.
    static func parts(_ text: String, _ separator: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var rest = Substring(text)
        while let first = rest.first {
            if rest.hasPrefix(separator) {
                parts.append(part)
                part = ""
                rest = rest.dropFirst(separator.count)
            } else {
                part.append(first)
                rest = rest.dropFirst()
            }
        }
        parts.append(part)
        return parts.map(trimmed).filter { !$0.isEmpty }
    }
}
