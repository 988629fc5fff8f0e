/// Rows in columns of even width.
enum TextTable {
    /// Returns the lines; none without rows.
    static func lines(header: [String], _ rows: [[String]]) -> [String] {
        rows.isEmpty ? [] : lines([header] + rows)
    }

    /// Returns the lines of rows that have the same number of cells.
    static func lines(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }
            return TextValue.withoutTrailingSpace(cells.joined(separator: "  "))
        }
    }
}

extension TextValue {
    fileprivate static func withoutTrailingSpace(_ text: String) -> String {
        text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? ""
    }
}
