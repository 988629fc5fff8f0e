/// Follows the bytes that a connection receives, and finds those that HTTP/1.1 does not allow where the library, which
/// reads them next, is lenient: what ends a line, delimits a chunk or gives a length in more than one reading.
///
/// It knows where each request ends, so the requests of a connection can be told apart. What concerns a head alone is
/// checked again by ``RequestFraming``, which also reads its fields.
struct ReceivedFraming {
    private enum State {
        case requestStart
        case requestLine
        case lineStart
        case name
        case value
        case length
        case coding
        case body
        case chunkSize
        case chunkExtension
        case chunkData
        case chunkEnd
        /// A CR has come.
        case lineFeed(Line)
    }

    /// What the line was that a CR ends.
    private enum Line {
        case beforeRequest
        case ofHead
        case endOfHead
        case chunkSize
        case afterChunk
    }

    /// Whole requests that have come.
    private(set) var requests = 0
    /// Whether any byte has come.
    private(set) var hasBegun = false
    /// Why what came cannot be read as HTTP/1.1, or not to its end; then nothing that follows is read.
    private(set) var refusal: RequestRefusal?

    private var state = State.requestStart
    private var isTrailer = false
    /// Bytes of the name so far, and of the value of a field that counts.
    private var position = 0
    private var mayBeLength = false
    private var mayBeCoding = false
    private var length: UInt64?
    private var isChunked = false
    /// Bytes of the body, or of the chunk, that are to come.
    private var rest: UInt64 = 0

    /// Reads on.
    /// - Returns: how many of the bytes belong to whole requests or may still become one: all of them, unless the
    ///   request after these is refused.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard refusal == nil else { return 0 }
        hasBegun = hasBegun || !bytes.isEmpty
        var wholeUntil = 0
        var index = 0
        while index < bytes.count {
            let before = requests
            if rest > 0 {
                let count = min(rest, UInt64(bytes.count - index))
                rest -= count
                index += Int(count)
                if rest == 0 { endData() }
            } else {
                index = skipText(bytes, from: index)
                guard index < bytes.count else { break }
                guard take(bytes[index]) else {
                    refusal = refusal ?? .malformed
                    return wholeUntil
                }
                index += 1
            }
            if requests != before { wholeUntil = index }
        }
        return bytes.count
    }

    /// Most bytes of a head are of lines whose content does not count, and no controls.
    private func skipText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        switch state {
        case .requestLine, .value:
            var index = start
            while index < bytes.count, bytes[index] > UInt8.carriageReturn { index += 1 }
            return index
        default: return start
        }
    }

    private mutating func endData() {
        if case .body = state { endRequest() } else { state = .chunkEnd }
    }

    private mutating func endRequest() {
        requests += 1
        state = .requestStart
        (isTrailer, length, isChunked) = (false, nil, false)
    }

    /// - Returns: whether the byte is allowed.
    private mutating func take(_ byte: UInt8) -> Bool {
        switch state {
        case .requestStart: return takeFirst(byte)
        case .requestLine: return takeText(byte)
        case .lineStart: return takeLineStart(byte)
        case .name: return takeName(byte)
        case .value: return takeText(byte)
        case .length: return takeLength(byte)
        case .coding: return takeCoding(byte)
        case .chunkSize: return takeChunkSize(byte)
        case .chunkExtension:
            if byte == .carriageReturn { return expectLineFeed(.chunkSize) }
            return byte.isText
        case .chunkEnd: return byte == .carriageReturn && expectLineFeed(.afterChunk)
        case .lineFeed(let line): return byte == .lineFeed && end(line)
        case .body, .chunkData: return false
        }
    }

    private mutating func expectLineFeed(_ line: Line) -> Bool {
        state = .lineFeed(line)
        return true
    }

    /// Empty lines may come before a request.
    private mutating func takeFirst(_ byte: UInt8) -> Bool {
        if byte == .carriageReturn { return expectLineFeed(.beforeRequest) }
        state = .requestLine
        return byte.isText
    }

    private mutating func takeText(_ byte: UInt8) -> Bool {
        if byte == .carriageReturn { return expectLineFeed(.ofHead) }
        return byte.isText
    }

    private mutating func takeLineStart(_ byte: UInt8) -> Bool {
        if byte == .carriageReturn { return expectLineFeed(.endOfHead) }
        position = 0
        (mayBeLength, mayBeCoding) = (!isTrailer, !isTrailer)
        state = .name
        return byte != .colon && takeName(byte)
    }

    private mutating func takeName(_ byte: UInt8) -> Bool {
        guard byte != .colon else { return takeColon() }
        let small = byte.lowercasedASCII
        mayBeLength = mayBeLength && Self.lengthName.has(small, at: position)
        mayBeCoding = mayBeCoding && Self.codingName.has(small, at: position)
        position += 1
        return byte > 0x20 && byte != 0x7F
    }

    private mutating func takeColon() -> Bool {
        if mayBeLength, position == Self.lengthName.utf8CodeUnitCount {
            guard length == nil, !isChunked else { return false }
            state = .length
        } else if mayBeCoding, position == Self.codingName.utf8CodeUnitCount {
            guard length == nil, !isChunked else { return false }
            state = .coding
        } else {
            state = .value
        }
        position = 0
        return true
    }

    /// Digits, behind spaces.
    private mutating func takeLength(_ byte: UInt8) -> Bool {
        if byte == .carriageReturn { return position > 0 && expectLineFeed(.ofHead) }
        if position == 0, byte.isSpace { return true }
        guard byte &- 0x30 < 10 else { return false }
        position += 1
        let (product, isTooLarge) = (length ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, isStillTooLarge) = product.addingReportingOverflow(UInt64(byte &- 0x30))
        length = sum
        return !isTooLarge && !isStillTooLarge && sum <= UInt64(Int64.max) || refuseSize()
    }

    /// The word `chunked`, behind spaces.
    private mutating func takeCoding(_ byte: UInt8) -> Bool {
        if byte == .carriageReturn {
            isChunked = true
            return position == Self.chunked.utf8CodeUnitCount && expectLineFeed(.ofHead)
        }
        if position == 0, byte.isSpace { return true }
        defer { position += 1 }
        return Self.chunked.has(byte.lowercasedASCII, at: position)
    }

    private mutating func takeChunkSize(_ byte: UInt8) -> Bool {
        if byte == .carriageReturn { return position > 0 && expectLineFeed(.chunkSize) }
        if byte == UInt8(ascii: ";") {
            state = .chunkExtension
            return position > 0
        }
        guard let digit = byte.hexDigit else { return false }
        guard position < Self.chunkDigits else { return refuseSize() }
        position += 1
        length = (length ?? 0) << 4 | digit
        return true
    }

    /// The digits of a chunk's size, which 60 bits are enough for.
    private static let chunkDigits = 15

    private mutating func refuseSize() -> Bool {
        refusal = .bodyTooLarge
        return false
    }

    private mutating func end(_ line: Line) -> Bool {
        switch line {
        case .beforeRequest: state = .requestStart
        case .ofHead: state = .lineStart
        case .endOfHead: endHead()
        case .afterChunk: beginChunk()
        case .chunkSize:
            rest = length ?? 0
            state = rest > 0 ? .chunkData : .lineStart
            isTrailer = rest == 0
        }
        return true
    }

    private mutating func endHead() {
        if isTrailer {
            endRequest()
        } else if isChunked {
            beginChunk()
        } else if let length, length > 0 {
            rest = length
            state = .body
        } else {
            endRequest()
        }
    }

    private mutating func beginChunk() {
        (position, length) = (0, nil)
        state = .chunkSize
    }

    private static let lengthName: StaticString = "content-length"
    private static let codingName: StaticString = "transfer-encoding"
    private static let chunked: StaticString = "chunked"
}

extension StaticString {
    fileprivate func has(_ byte: UInt8, at position: Int) -> Bool {
        position < utf8CodeUnitCount && utf8Start[position] == byte
    }
}

extension UInt8 {
    fileprivate static let carriageReturn: UInt8 = 0x0D
    fileprivate static let lineFeed: UInt8 = 0x0A
    fileprivate static let colon: UInt8 = 0x3A

    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 }
    /// Not the controls that the library takes for an end of a line or of a text.
    fileprivate var isText: Bool { self != 0 && self != .lineFeed }

    fileprivate var hexDigit: UInt64? {
        switch self {
        case 0x30...0x39: UInt64(self - 0x30)
        case 0x41...0x46: UInt64(self - 0x41 + 10)
        case 0x61...0x66: UInt64(self - 0x61 + 10)
        default: nil
        }
    }
}
