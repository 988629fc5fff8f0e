/// Finds the lines of a file: JSON lines, one value each. Empty lines are skipped.
struct LineScanner: RowScanner {
    private var buffer: ScanBuffer

    init(at position: FilePosition = .start) { buffer = ScanBuffer(at: position) }

    var position: FilePosition { buffer.position }

    mutating func append(_ bytes: [UInt8]) { buffer.append(bytes) }
    mutating func finish() { buffer.finish() }

    mutating func next() -> ScannedRow<[UInt8]>? {
        while true {
            if buffer.isRefusing { return buffer.takeRefused() }
            buffer.skipByteOrderMark()
            let (start, line) = (buffer.start, buffer.position.line)
            guard let end = buffer.lineBreak(from: start) ?? (buffer.isAtEnd ? buffer.bytes.count : nil) else {
                guard buffer.bytes.count - start > ImportLimits.rowSize else { return nil }
                refuseLength()
                continue
            }
            guard start < buffer.bytes.count else { return nil }
            guard end - start <= ImportLimits.rowSize else {
                refuseLength()
                continue
            }
            let text = buffer.bytes[start..<end]
            buffer.consume(upTo: min(end + 1, buffer.bytes.count), lines: 1)
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            return ScannedRow(line: line, end: buffer.position, content: .success(Array(text)))
        }
    }

    private mutating func refuseLength() {
        buffer.refuse("the line has more than \(ImportLimits.rowSize) bytes")
    }
}
