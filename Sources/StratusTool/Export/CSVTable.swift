import StratusCloudModel
import StratusCloudWire

/// Writes records of one type as CSV (RFC 4180) that imports read back: a header, and a row for each record with its
/// name and its fields. Cells are those of ``CellText``; a field without a value is an empty cell.
struct CSVTable: Sendable {
    private let columns: [String]

    /// - Parameter columns: The names of the fields, in their order.
    init(columns: [String]) { self.columns = columns }

    /// The header, without a line break.
    var header: String { Self.line([ColumnRules.recordNameColumn] + columns) }

    /// Returns the row of a record, without a line break at its end.
    /// - Parameter line: The record as a line of an export.
    /// - Throws: ``ToolError`` for a field that is no column: the schema grew during the export.
    func row(of line: String) throws(ToolError) -> String {
        let record: Record
        do {
            record = try RecordLine.decode(Array(line.utf8))
        } catch {
            throw ToolError(error)
        }
        var values: [String: FieldValue] = [:]
        for entry in record.fields { values[entry.name] = entry.field.value }
        let cells = columns.map { name in values.removeValue(forKey: name).map { CellText.text($0) } ?? "" }
        if let name = values.keys.min() {
            throw ToolError("field '\(name)' was added to the schema during the export; export again")
        }
        return Self.line([record.recordName] + cells)
    }

    private static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

    /// Returns a cell in quotation marks where it needs them: also with white space at its ends, which other programs
    /// may drop.
    private static func quoted(_ cell: String) -> String {
        let needsMarks =
            cell.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) } || cell.first?.isWhitespace == true
            || cell.last?.isWhitespace == true
        return needsMarks ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
    }
}
