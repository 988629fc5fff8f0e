import StratusCMicroHTTPD

/// Why a request is refused before the handler sees it.
struct RequestRefusal: Error, Equatable {
    let status: Int

    static let malformed = RequestRefusal(status: 400)
    static let bodyTooLarge = RequestRefusal(status: 413)
    static let targetTooLong = RequestRefusal(status: 414)
    static let headersTooLarge = RequestRefusal(status: 431)
    static let unavailable = RequestRefusal(status: 503)
}

/// How a request's body is delimited.
enum BodyFraming: Equatable {
    case none
    case length(Int64)
    case chunked
}

/// Checks a request head more strictly than the library does.
///
/// The library leaves the head's bytes where they were received and overwrites the delimiters with NUL: the space after
/// the method, the first line's second space, each colon, and both bytes of each CRLF. A bare LF leaves one NUL, a
/// folded line begins with a space, and a NUL that was sent is followed by something that is none of these, so that
/// reading the bytes again shows what the library is lenient about. What stays hidden, since it looks like a CRLF then,
/// and bare LFs between chunks, are found by ``ReceivedFraming`` before the library reads them.
struct RequestFraming {
    let method: String
    /// HTTP/1.1 or a later HTTP/1, as opposed to HTTP/1.0.
    let isVersion11: Bool
    let headers: HTTPHeaders
    let body: BodyFraming

    /// - Parameters:
    ///   - head: the bytes from the method to the end of the empty line.
    ///   - target: the request target, which the library has overwritten in `head`.
    init(head: UnsafeBufferPointer<UInt8>, target: HTTPTarget, limits: HTTPServerLimits) throws(RequestRefusal) {
        let targetLength = target.text.utf8.count
        guard targetLength <= limits.requestTargetLength else { throw .targetTooLong }
        guard head.count <= limits.headerBytes else { throw .headersTooLarge }
        var reader = HeadReader(bytes: head)
        let methodRange = try reader.token()
        guard targetLength > 0, target.isVisibleASCII else { throw .malformed }
        try reader.skip(targetLength)
        try reader.expectNUL()
        isVersion11 = try reader.versionIs11()
        try reader.endOfLine()

        let start = reader.position
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(16)
        var known = KnownFields()
        while !reader.isAtEmptyLine {
            guard fields.count < limits.headerCount else { throw .headersTooLarge }
            let name = try reader.token()
            let value = try reader.value()
            try known.note(name: name, value: value, in: head)
            fields.append(.init(name: name.moved(by: start), value: value.trimmed(in: head).moved(by: start)))
        }
        try reader.endOfLine()
        guard reader.position == head.count else { throw .malformed }
        guard known.hasHost || !isVersion11 else { throw .malformed }

        method = String(decoding: head[methodRange], as: UTF8.self)
        body = try known.framing(isVersion11: isVersion11)
        headers = HTTPHeaders(bytes: [UInt8](head[start...]), fields: fields)
    }
}

/// Reads a head whose delimiters have been overwritten with NUL.
private struct HeadReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    /// A token and the NUL after it.
    mutating func token() throws(RequestRefusal) -> Range<Int> {
        let start = position
        guard let first = bytes.baseAddress else { throw .malformed }
        position += transport_token_length(first + start, bytes.count - start)
        guard position > start else { throw .malformed }
        let end = position
        try expectNUL()
        return start..<end
    }

    /// A field value and the line's end after it.
    mutating func value() throws(RequestRefusal) -> Range<Int> {
        let start = position
        guard let first = bytes.baseAddress else { throw .malformed }
        position += transport_value_length(first + start, bytes.count - start)
        let end = position
        try endOfLine()
        return start..<end
    }

    mutating func versionIs11() throws(RequestRefusal) -> Bool {
        let start = position
        try skip(8)
        return bytes[start + 5] == 0x31 && bytes[start + 7] != 0x30
    }

    mutating func skip(_ count: Int) throws(RequestRefusal) {
        guard bytes.count - position >= count else { throw .malformed }
        position += count
    }

    mutating func expectNUL() throws(RequestRefusal) {
        guard position < bytes.count, bytes[position] == 0 else { throw .malformed }
        position += 1
    }

    mutating func endOfLine() throws(RequestRefusal) {
        try expectNUL()
        try expectNUL()
    }

    var isAtEmptyLine: Bool { position >= bytes.count || bytes[position] == 0 }
}

/// The fields that decide where a request ends.
private struct KnownFields {
    private(set) var hasHost = false
    private var length: Int64?
    private var isChunked = false

    mutating func note(
        name: Range<Int>, value: Range<Int>, in head: UnsafeBufferPointer<UInt8>
    ) throws(RequestRefusal) {
        let name = UnsafeBufferPointer(rebasing: head[name])
        let value = UnsafeBufferPointer(rebasing: head[value])
        switch name.count {
        case 4 where name.isCaseless("host"):
            guard !hasHost, value.allSatisfy(\.isHostCharacter) else { throw .malformed }
            hasHost = true
        case 14 where name.isCaseless("content-length"):
            guard length == nil, let number = value.decimalNumber else { throw .malformed }
            length = number
        case 17 where name.isCaseless("transfer-encoding"):
            // Spaces after the word would make the library read the body as not chunked.
            guard !isChunked, value.drop(while: { $0 == 0x20 || $0 == 0x09 }).isCaseless("chunked") else {
                throw .malformed
            }
            isChunked = true
        default: break
        }
    }

    func framing(isVersion11: Bool) throws(RequestRefusal) -> BodyFraming {
        if isChunked {
            guard length == nil, isVersion11 else { throw .malformed }
            return .chunked
        }
        guard let length, length > 0 else { return .none }
        return .length(length)
    }
}

extension Range<Int> {
    /// The range without the spaces and tabs at both ends of what it covers.
    fileprivate func trimmed(in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var (start, end) = (lowerBound, upperBound)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while start < end, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    fileprivate func moved(by start: Int) -> Range<UInt32> {
        UInt32(lowerBound - start)..<UInt32(upperBound - start)
    }
}

extension Collection<UInt8> {
    /// Whether this is `name`, which is given in small letters.
    fileprivate func isCaseless(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { name in
            name.count == count && zip(self, name).allSatisfy { $0.lowercasedASCII == $1 }
        }
    }

    /// The number these digits write, surrounded by at most spaces in front.
    fileprivate var decimalNumber: Int64? {
        var result: Int64 = 0
        var digits = 0
        for byte in drop(while: { $0 == 0x20 || $0 == 0x09 }) {
            guard byte &- 0x30 < 10 else { return nil }
            let (product, tooLarge) = result.multipliedReportingOverflow(by: 10)
            let (sum, stillTooLarge) = product.addingReportingOverflow(Int64(byte &- 0x30))
            guard !tooLarge, !stillTooLarge else { return nil }
            result = sum
            digits += 1
        }
        return digits > 0 ? result : nil
    }
}

extension UInt8 {
    /// What a host and port can consist of, and spaces, which surround the value.
    fileprivate var isHostCharacter: Bool {
        switch self {
        case 0x22, 0x23, 0x2C, 0x2F, 0x3C, 0x3E, 0x3F, 0x40, 0x5C, 0x5E, 0x60, 0x7B...0x7D: false
        case 0x09, 0x20...0x7E: true
        default: false
        }
    }
}
