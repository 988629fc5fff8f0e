import StratusCloudModel

/// Where the type of a column comes from, in the order of precedence.
enum TypeSource: String, Encodable, Sendable {
    /// The command line.
    case option
    /// The schema of the context that is imported into.
    case schema
    /// The values in the file.
    case file
}

extension ImportPlan {
    /// Settles the types of the columns that the command line does not declare. The same file gets the same types also
    /// when its import goes on after an interruption.
    mutating func settleTypes(_ known: FieldTypes, of file: FileReader) throws(ToolError) {
        for name in rules.types.keys { sources[name] = .option }
        guard let recordType else { return }
        let schema = known.types(of: recordType)
        switch format {
        case .jsonl:
            // What the schema does not know shows its type in JSON.
            for (name, type) in schema where rules.types[name] == nil { settle(name, type, .schema) }
        case .csv:
            let (header, start) = try header(of: file)
            var columns: [Int: ColumnInference] = [:]
            for (index, name) in header.enumerated() where rules.types[name] == nil && rules.isField(name) {
                if let type = schema[name] { settle(name, type, .schema) } else { columns[index] = ColumnInference() }
            }
            guard !columns.isEmpty else { return }
            try infer(&columns, header, of: file, from: start)
            for (index, column) in columns { settle(header[index], column.type, .file) }
        }
    }

    private mutating func settle(_ name: String, _ type: FieldType, _ source: TypeSource) {
        rules.types[name] = type
        sources[name] = source
    }

    private func infer(
        _ columns: inout [Int: ColumnInference], _ header: [String], of file: FileReader, from start: FilePosition
    ) throws(ToolError) {
        // Only cells are read here, so nothing is made of rows.
        var reader = try RowReader(file, CSVScanner(at: start)) { _, _ throws(RowError) in throw RowError("cells") }
        while let row = try reader.nextScanned() {
            guard case .success(let cells) = row.content, cells.count == header.count else { continue }
            for index in columns.keys {
                if let separator = rules.listSeparators[header[index]] {
                    for part in TextValue.parts(cells[index], separator) { columns[index]?.add(part) }
                } else {
                    columns[index]?.add(cells[index])
                }
            }
        }
    }

    /// Returns the names in the header of CSV, and where the rows begin.
    func header(of file: FileReader) throws(ToolError) -> (names: [String], end: FilePosition) {
        // Only the header is read here, so nothing is made of rows.
        var head = try RowReader(file, CSVScanner()) { _, _ throws(RowError) in throw RowError("header") }
        guard let row = try head.nextScanned() else { throw ToolError("\(file.path) has no header") }
        guard case .success(let names) = row.content else {
            throw ToolError("\(file.path): the header in line \(row.line) is malformed")
        }
        return (names, row.end)
    }
}
