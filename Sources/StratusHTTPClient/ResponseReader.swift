/// Collects a response from the pieces libcurl delivers, within limits.
struct ResponseReader {
    /// Why reading stopped.
    enum Excess: Error { case header, body }

    private let maximumLength: Int
    private var headerLength = 0
    private var isHeaderComplete = false
    private var headers: HTTPHeaders = [:]
    private var body: [UInt8] = []
    private var version = ""

    init(maximumLength: Int) { self.maximumLength = maximumLength }

    func response(status: Int) -> HTTPClientResponse {
        HTTPClientResponse(status: status, headers: headers, body: body, version: version)
    }

    /// Takes one line of the header, with its line end.
    mutating func append(headerLine line: UnsafeRawBufferPointer) throws(Excess) {
        headerLength += line.count
        guard headerLength <= HTTPClientLimits.responseHeaderLength else { throw .header }
        let text = String(decoding: line, as: UTF8.self)
        // A new status line follows interim responses such as 100 Continue; only the last response counts.
        if text.hasPrefix("HTTP/") {
            version = String(text.dropFirst(5).prefix { $0 != " " })
            headers = [:]
            isHeaderComplete = false
        } else if text == "\r\n" || text == "\n" {
            isHeaderComplete = true
        } else if !isHeaderComplete, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            headers.append(String(text[..<colon]), Self.trimmed(text.utf8[colon...].dropFirst()))
        }
    }

    /// Takes a piece of the body.
    mutating func append(body piece: UnsafeRawBufferPointer) throws(Excess) {
        guard body.count + piece.count <= maximumLength else { throw .body }
        body += piece
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
        let start = text.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(Substring(start[..<end]))
    }
}
