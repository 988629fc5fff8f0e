import Glibc
import StratusCloudModel

/// Finds the one file in a form (`multipart/form-data`, RFC 7578) that comes in pieces.
///
/// Keeps what may turn out to be a boundary, the part's header fields, and nothing else. Refuses whatever is not one
/// part between a first and a last boundary, rather than to store something else than was meant.
struct FormFileParser {
    private enum Stage {
        /// Before the first boundary.
        case opening
        case header
        /// In the file. The line end behind the header fields is still to come, since a boundary may begin with it.
        case file
        /// Behind a boundary that ended the file.
        case ended
        /// Behind the last boundary.
        case closed
    }

    static let severalParts = CloudError(
        .badRequest, "the form has more than one part; send each file to an address of its own")
    private static let lineEnd = Array("\r\n".utf8)

    /// A line end, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var stage = Stage.opening
    /// Bytes that arrived and are not decided yet.
    private var held: [UInt8] = []
    /// Bytes of the line end behind the header fields that are still to be left out.
    private var skipped = 2
    private var header: FormPartHeader?
    private var size: Int64 = 0
    private var closingSize = 0

    /// - Parameter boundary: what separates the parts, without hyphens in front.
    init(boundary: [UInt8]) { delimiter = Self.lineEnd + Array("--".utf8) + boundary }

    /// Takes a piece of the form.
    /// - Returns: bytes of the file, perhaps none.
    /// - Throws: `badRequest` if the form is malformed, or has more than one part.
    mutating func take(_ piece: [UInt8]) throws(CloudError) -> [UInt8] {
        var rest = (held.isEmpty ? piece : held + piece)[...]
        var file: [UInt8] = []
        var goesOn = true
        while goesOn {
            goesOn =
                switch stage {
                case .opening: try open(&rest)
                case .header: try readHeader(&rest)
                case .file: readFile(&rest, into: &file)
                case .ended: try close(&rest)
                case .closed: try finishLine(&rest)
                }
        }
        held = Array(rest)
        return file
    }

    /// Ends the form.
    /// - Throws: `badRequest` if it is not whole.
    func finish() throws(CloudError) {
        guard stage == .closed else {
            throw CloudError(.badRequest, "the form ends before its last boundary; it was discarded")
        }
        if let length = header?.length, length != size {
            throw CloudError(.badRequest, "the form's part has \(size) bytes instead of \(length); it was discarded")
        }
    }

    // MARK: - Stages, each of which tells whether the next can go on with what is there

    private mutating func open(_ rest: inout ArraySlice<UInt8>) throws(CloudError) -> Bool {
        // A line end before the first boundary is the boundary's.
        let lead = rest.starts(with: Self.lineEnd) ? 2 : 0
        guard let end = rest.dropFirst(lead).firstIndex(of: UInt8(ascii: "\n")) else {
            guard rest.count <= delimiter.count + ServerLimits.formPaddingSize else { throw Self.noBoundary }
            return false
        }
        let line = rest[(rest.startIndex + lead)..<end]
        guard line.last == UInt8(ascii: "\r"), line.starts(with: delimiter.dropFirst(2)) else { throw Self.noBoundary }
        let padding = line.dropFirst(delimiter.count - 2).dropLast()
        if padding.starts(with: "--".utf8) { throw CloudError(.badRequest, "the form has no part") }
        guard padding.allSatisfy(\.isBlank) else { throw Self.noBoundary }
        rest = rest[(end + 1)...]
        stage = .header
        return true
    }

    private mutating func readHeader(_ rest: inout ArraySlice<UInt8>) throws(CloudError) -> Bool {
        let isEmpty = rest.starts(with: Self.lineEnd)
        let lines = rest.prefix(ServerLimits.formHeaderSize + 2)
        let end = isEmpty ? rest.startIndex : lines.firstRange(of: Self.lineEnd + Self.lineEnd)?.lowerBound
        guard let end else {
            guard rest.count < ServerLimits.formHeaderSize + 2 else {
                throw CloudError(
                    .badRequest,
                    "the header fields of the form's part are larger than the maximum of "
                        + "\(ServerLimits.formHeaderSize) bytes")
            }
            return false
        }
        let fields = isEmpty ? end : end + 2
        header = try FormPartHeader(rest[..<fields])
        rest = rest[fields...]
        stage = .file
        return true
    }

    private mutating func readFile(_ rest: inout ArraySlice<UInt8>, into file: inout [UInt8]) -> Bool {
        let found = rest.first(delimiter)
        // What is left may be the beginning of a delimiter.
        let end = found ?? max(rest.startIndex, rest.endIndex - (delimiter.count - 1))
        var bytes = rest[..<end]
        let left = min(skipped, bytes.count)
        skipped -= left
        bytes = bytes.dropFirst(left)
        size += Int64(bytes.count)
        file += bytes
        rest = rest[(found.map { $0 + delimiter.count } ?? end)...]
        if found != nil { stage = .ended }
        return found != nil
    }

    private mutating func close(_ rest: inout ArraySlice<UInt8>) throws(CloudError) -> Bool {
        guard rest.count >= 2 else { return false }
        guard rest.starts(with: "--".utf8) else {
            if rest.starts(with: Self.lineEnd) || rest.first?.isBlank == true { throw Self.severalParts }
            throw CloudError(.badRequest, "the file contains the form's boundary; choose another boundary")
        }
        rest = rest.dropFirst(2)
        stage = .closed
        return true
    }

    /// Takes what follows the last boundary, which must be nothing but white space.
    private mutating func finishLine(_ rest: inout ArraySlice<UInt8>) throws(CloudError) -> Bool {
        closingSize += rest.count
        guard closingSize <= ServerLimits.formPaddingSize,
            rest.allSatisfy({ $0.isBlank || Self.lineEnd.contains($0) })
        else { throw CloudError(.badRequest, "the form has data after its last boundary") }
        rest = []
        return false
    }

    private static let noBoundary = CloudError(
        .badRequest, "the form does not begin with the boundary that the header Content-Type names")
}

extension ArraySlice<UInt8> {
    /// Where a delimiter begins that begins with a CR, and holds no other.
    fileprivate func first(_ delimiter: [UInt8]) -> Int? {
        withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var position = 0
            while position + delimiter.count <= bytes.count,
                let found = memchr(base + position, 0x0D, bytes.count - position)
            {
                position = UnsafeRawPointer(base).distance(to: found)
                guard position + delimiter.count <= bytes.count else { return nil }
                if memcmp(found, delimiter, delimiter.count) == 0 { return startIndex + position }
                position += 1
            }
            return nil
        }
    }
}
