/// How the rows of a format are found in bytes that arrive in pieces.
protocol RowScanner: Sendable {
    /// What a row holds.
    associatedtype Content: Sendable

    /// Where the next row begins.
    var position: FilePosition { get }

    /// Takes the next bytes of the file.
    mutating func append(_ bytes: [UInt8])

    /// Tells that there are no more bytes.
    mutating func finish()

    /// The next row; nil when more bytes are needed, or at the end.
    mutating func next() -> ScannedRow<Content>?
}

/// The bytes that a scanner has not consumed yet.
struct ScanBuffer: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Index of the first byte that is not consumed.
    private(set) var start = 0
    private(set) var position: FilePosition
    private(set) var isAtEnd = false
    private var refusal: (line: Int, error: RowError)?

    /// Whether a row was given up and the end of its line is still to be found.
    var isRefusing: Bool { refusal != nil }

    init(at position: FilePosition) { self.position = position }

    mutating func append(_ more: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    mutating func finish() { isAtEnd = true }

    /// Goes on to `index`, over `lines` line breaks.
    mutating func consume(upTo index: Int, lines: Int) {
        position.offset += Int64(index - start)
        position.line += lines
        start = index
    }

    /// The index of the next line break from `index` on.
    func lineBreak(from index: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            buffer[index...].firstIndex(of: UInt8(ascii: "\n"))
        }
    }

    /// Gives the row at the start up for `reason`: its line is skipped.
    mutating func refuse(_ reason: String) { refusal = (position.line, RowError(reason)) }

    /// The row that was given up, as soon as its line is skipped; nil while the end of the line is not there yet.
    mutating func takeRefused<Content>() -> ScannedRow<Content>? {
        guard let refused = refusal else { return nil }
        if let end = lineBreak(from: start) {
            consume(upTo: end + 1, lines: 1)
        } else {
            consume(upTo: bytes.count, lines: isAtEnd ? 1 : 0)
            guard isAtEnd else { return nil }
        }
        refusal = nil
        return ScannedRow(line: refused.line, end: position, content: .failure(refused.error))
    }

    /// Skips the mark that some programs put at the start of UTF-8.
    mutating func skipByteOrderMark() {
        if position.offset == 0, bytes[start...].starts(with: [0xEF, 0xBB, 0xBF]) {
            consume(upTo: start + 3, lines: 0)
        }
    }
}
