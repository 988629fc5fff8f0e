import StratusCloudCrypto
import StratusCloudModel

/// A record made of a row, or why none could be made.
struct ImportRow: Sendable {
    /// A record to save.
    struct Content: Sendable {
        var input: RecordInput
        var name: String
        var zone: String
    }

    var line: Int
    /// Behind the row.
    var end: FilePosition
    var content: Result<Content, RowError>
}

extension ImportPlan {
    /// Opens the rows of a file from `position` on, or all of them.
    func rows(of file: FileReader, digest: String, from position: FilePosition?) throws(ToolError) -> any ImportRows {
        switch format {
        case .jsonl:
            let mapper = JSONMapper(rules: rules)
            return try RowReader(file, LineScanner(at: position ?? .start)) { bytes, line throws(RowError) in
                let (input, zone) = try mapper.record(bytes)
                return try content(input, zone, line, digest)
            }
        case .csv:
            let (names, end) = try header(of: file)
            let mapper = try CSVMapper(header: names, rules: rules)
            return try RowReader(file, CSVScanner(at: position ?? end)) { cells, line throws(RowError) in
                try content(try mapper.record(cells), nil, line, digest)
            }
        }
    }

    private func content(
        _ input: RecordInput, _ zoneOfRecord: String?, _ line: Int, _ digest: String
    ) throws(RowError) -> ImportRow.Content {
        var input = input
        input.recordType = recordType ?? input.recordType
        guard input.recordType != nil else { throw RowError("the line has no recordType; give one with --type") }
        // Always the same for the same line of the same file: what is imported twice is not there twice.
        let name = input.recordName ?? Hex.encode(Array(SHA256.hash("\(digest):\(line)").prefix(16)))
        input.recordName = name
        let zone = self.zone ?? zoneOfRecord ?? ZoneID.defaultZoneName
        return ImportRow.Content(input: input, name: name, zone: zone)
    }
}
