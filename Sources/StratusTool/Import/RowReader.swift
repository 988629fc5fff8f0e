/// The rows of a file as records.
protocol ImportRows {
    /// The next row; nil at the end. Blocks.
    mutating func next() throws(ToolError) -> ImportRow?
}

/// Reads the rows that a scanner finds, and makes records of them.
struct RowReader<Scanner: RowScanner>: ImportRows {
    private let file: FileReader
    private var scanner: Scanner
    private var isAtEnd = false
    private let map: (Scanner.Content, Int) throws(RowError) -> ImportRow.Content

    /// Reads `file` from where `scanner` stands. `map` makes a record of a row and the number of its line.
    init(
        _ file: FileReader, _ scanner: Scanner,
        map: @escaping (Scanner.Content, Int) throws(RowError) -> ImportRow.Content
    ) throws(ToolError) {
        self.file = file
        self.scanner = scanner
        self.map = map
        try file.seek(to: scanner.position.offset)
    }

    /// Where the next row begins.
    var position: FilePosition { scanner.position }

    /// The next row as the scanner found it.
    mutating func nextScanned() throws(ToolError) -> ScannedRow<Scanner.Content>? {
        while true {
            if let row = scanner.next() { return row }
            guard !isAtEnd else { return nil }
            let bytes = try file.next()
            isAtEnd = bytes.isEmpty
            if isAtEnd { scanner.finish() } else { scanner.append(bytes) }
        }
    }

    mutating func next() throws(ToolError) -> ImportRow? {
        guard let row = try nextScanned() else { return nil }
        do throws(RowError) {
            let content = try map(try row.content.get(), row.line)
            return ImportRow(line: row.line, end: row.end, content: .success(content))
        } catch {
            return ImportRow(line: row.line, end: row.end, content: .failure(error))
        }
    }
}
