import StratusCloudModel

extension ImportPreview.Report {
    /// The report for people.
    var text: String {
        let isOfOneType = Set(columns.map(\.recordType)).count == 1
        let rows = columns.map { column in
            [
                isOfOneType ? column.name : "\(column.recordType).\(column.name)",
                column.type, column.from.words, column.example,
            ]
        }
        var lines = TextTable.lines(header: ["FIELD", "TYPE", "FROM", "EXAMPLE"], rows)
        for column in columns {
            guard let other = column.conflictsWith else { continue }
            lines.append(
                "field '\(column.name)' is \(other) in the schema, not \(column.type); rows with it cannot be saved")
        }
        lines += created
        if missingAssets > 0 { lines.append("the bytes of \(missingAssets) assets are missing; see --assets") }
        let bad = badRows == 0 ? "" : ", \(badRows) bad \(badRows == 1 ? "line" : "lines")"
        lines.append("\(self.rows) \(self.rows == 1 ? "record" : "records") would be saved\(bad); nothing was saved")
        return lines.joined(separator: "\n")
    }

    private var created: [String] {
        var lines: [String] = []
        if !newRecordTypes.isEmpty { lines.append("new record types: \(newRecordTypes.joined(separator: ", "))") }
        for (type, fields) in newFields.sorted(by: { $0.key < $1.key }) {
            lines.append("new fields of \(type): \(fields.joined(separator: ", "))")
        }
        if !newZones.isEmpty { lines.append("new zones: \(newZones.joined(separator: ", "))") }
        if needsDeployment {
            lines.append("only 'stratus schema deploy' adds record types and fields to production; deploy them first")
        }
        return lines
    }
}

extension TypeSource {
    fileprivate var words: String {
        switch self {
        case .option: "the command line"
        case .schema: "the schema"
        case .file: "the file"
        }
    }
}
