/// A place in an import file.
struct FilePosition: Codable, Hashable, Sendable {
    /// Bytes before it.
    var offset: Int64
    /// The number of the line that begins there, from 1.
    var line: Int

    static let start = FilePosition(offset: 0, line: 1)
}

/// What is wrong with a row; the import goes on behind it.
struct RowError: Error, Hashable, Sendable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A row as it was found: where it begins and ends, and what it holds.
struct ScannedRow<Content: Sendable>: Sendable {
    /// The number of the line on which it begins.
    var line: Int
    /// Behind it.
    var end: FilePosition
    var content: Result<Content, RowError>
}
