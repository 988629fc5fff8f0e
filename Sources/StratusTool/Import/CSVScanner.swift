/// Finds the rows of CSV as RFC 4180 has it: fields between commas, quoted ones with commas, line breaks and doubled
/// quotes inside. Lines may end with LF or CR LF; a byte order mark and empty lines are skipped.
///
/// A malformed row costs one line: behind it the scanner goes on with the next line, even inside of an open quotation.
struct CSVScanner: RowScanner {
    private var buffer: ScanBuffer
    private let separator: UInt8

    /// Scans from `position` on, which must be the start of a row.
    init(at position: FilePosition = .start, separator: UInt8 = UInt8(ascii: ",")) {
        buffer = ScanBuffer(at: position)
        self.separator = separator
    }

    var position: FilePosition { buffer.position }

    mutating func append(_ bytes: [UInt8]) { buffer.append(bytes) }
    mutating func finish() { buffer.finish() }

    mutating func next() -> ScannedRow<[String]>? {
        while true {
            if buffer.isRefusing { return buffer.takeRefused() }
            // The first bytes may be a byte order mark.
            guard buffer.bytes.count - buffer.start >= (buffer.isAtEnd ? 1 : 3) else { return nil }
            buffer.skipByteOrderMark()
            let line = buffer.position.line
            switch scanRow() {
            case .incomplete where buffer.isAtEnd:
                buffer.refuse("a quoted cell is not closed")
            case .incomplete where buffer.bytes.count - buffer.start > ImportLimits.rowSize:
                buffer.refuse(Self.tooLong)
            case .incomplete:
                return nil
            case .malformed(let reason):
                buffer.refuse(reason)
            case .row(_, let end, _) where end - buffer.start > ImportLimits.rowSize:
                buffer.refuse(Self.tooLong)
            case .row(let fields, let end, let lines):
                buffer.consume(upTo: end, lines: lines)
                if fields.count == 1, fields[0].isEmpty { continue }
                return ScannedRow(line: line, end: buffer.position, content: .success(fields))
            }
        }
    }

    private enum Outcome {
        /// The row's fields, the index behind it, and the line breaks in it with its own.
        case row([String], end: Int, lines: Int)
        case malformed(String)
        case incomplete
    }

    private func scanRow() -> Outcome {
        var fields: [String] = []
        var index = buffer.start
        var lines = 0
        while true {
            let field: FieldOutcome
            if index < buffer.bytes.count, buffer.bytes[index] == UInt8(ascii: "\"") {
                field = quotedField(from: index + 1, &lines)
            } else {
                field = plainField(from: index)
            }
            switch field {
            case .incomplete: return .incomplete
            case .malformed(let reason): return .malformed(reason)
            case .field(let text, let end):
                fields.append(text)
                guard end < buffer.bytes.count else { return .row(fields, end: end, lines: lines + 1) }
                if buffer.bytes[end] == separator {
                    index = end + 1
                    continue
                }
                let isCarriageReturn = buffer.bytes[end] == UInt8(ascii: "\r")
                return .row(fields, end: end + (isCarriageReturn ? 2 : 1), lines: lines + 1)
            }
        }
    }

    private enum FieldOutcome {
        /// The text and the index of the separator, the line end, or the end of the file.
        case field(String, end: Int)
        case malformed(String)
        case incomplete
    }

    private func plainField(from start: Int) -> FieldOutcome {
        var index = start
        while index < buffer.bytes.count {
            let byte = buffer.bytes[index]
            if byte == separator || byte == UInt8(ascii: "\n") { break }
            if byte == UInt8(ascii: "\r") {
                guard index + 1 < buffer.bytes.count else { break }
                if buffer.bytes[index + 1] == UInt8(ascii: "\n") { break }
            }
            if byte == UInt8(ascii: "\"") { return .malformed("a cell contains a quotation mark but is not quoted") }
            index += 1
        }
        if index == buffer.bytes.count, !buffer.isAtEnd { return .incomplete }
        if index == buffer.bytes.count - 1, buffer.bytes[index] == UInt8(ascii: "\r") {
            guard buffer.isAtEnd else { return .incomplete }
            // A carriage return at the very end of the file belongs to the field.
            return text(Array(buffer.bytes[start...]), end: buffer.bytes.count)
        }
        return text(Array(buffer.bytes[start..<index]), end: index)
    }

    private func quotedField(from start: Int, _ lines: inout Int) -> FieldOutcome {
        var bytes: [UInt8] = []
        var index = start
        while index < buffer.bytes.count {
            let byte = buffer.bytes[index]
            if byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\n") { lines += 1 }
                bytes.append(byte)
                index += 1
                continue
            }
            guard index + 1 < buffer.bytes.count else {
                return buffer.isAtEnd ? text(bytes, end: index + 1) : .incomplete
            }
            if buffer.bytes[index + 1] == UInt8(ascii: "\"") {
                bytes.append(byte)
                index += 2
                continue
            }
            return endOfQuotation(bytes, at: index + 1)
        }
        return .incomplete
    }

    /// Behind a closed quotation comes a separator or the end of the line.
    private func endOfQuotation(_ bytes: [UInt8], at index: Int) -> FieldOutcome {
        switch buffer.bytes[index] {
        case separator, UInt8(ascii: "\n"): return text(bytes, end: index)
        case UInt8(ascii: "\r"):
            guard index + 1 < buffer.bytes.count else { return buffer.isAtEnd ? .malformed(Self.behind) : .incomplete }
            return buffer.bytes[index + 1] == UInt8(ascii: "\n") ? text(bytes, end: index) : .malformed(Self.behind)
        default: return .malformed(Self.behind)
        }
    }

    private static let tooLong = "the row has more than \(ImportLimits.rowSize) bytes"
    private static let behind = "text follows the closing quotation mark of a cell"

    private func text(_ bytes: [UInt8], end: Int) -> FieldOutcome {
        guard let text = String(validating: bytes, as: UTF8.self) else { return .malformed("the row is not UTF-8") }
        return .field(text, end: end)
    }
}
