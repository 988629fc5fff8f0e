import StratusCloudModel
import StratusHTTPTransport
import StratusSeeds
import Testing

@testable import StratusCloudServer

/// Finding the file in a form, whatever the pieces that it comes in.
@Suite struct FormFileParserTests {
    private static let fields = "Content-Disposition: form-data; name=\"f\"\r\nContent-Type: image/png\r\n"

    private static func form(_ file: [UInt8], boundary: String, fields: String = fields, end: String = "--") -> [UInt8]
    {
        Array("--\(boundary)\r\n\(fields)\r\n".utf8) + file + Array("\r\n--\(boundary)\(end)".utf8)
    }

    private static func parse(_ pieces: [[UInt8]], boundary: String) throws(CloudError) -> [UInt8] {
        var parser = FormFileParser(boundary: Array(boundary.utf8))
        var file: [UInt8] = []
        for piece in pieces { file += try parser.take(piece) }
        try parser.finish()
        return file
    }

    private static func pieces(of bytes: [UInt8], _ random: inout SeededRandom, upTo most: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(1 + random.below(most))))
            rest = rest.dropFirst(pieces.last?.count ?? 0)
        }
        return pieces
    }

    /// Bytes that look like the form's own as often as not.
    private static func file(_ random: inout SeededRandom, boundary: String) -> [UInt8] {
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var file: [UInt8] = []
        for _ in 0..<random.below(12) {
            switch random.below(5) {
            case 0: file += delimiter.prefix(random.below(delimiter.count))
            case 1: file += Array("\r\n\r\n--".utf8)
            case 2: file += [UInt8](repeating: 0x0D, count: random.below(9))
            case 3: file += delimiter.dropFirst(1 + random.below(3))
            default: file += (0..<random.below(200)).map { _ in UInt8(random.below(256)) }
            }
        }
        // What begins with the boundary ends the part before it.
        return file.starts(with: delimiter.dropFirst(2)) ? [0] + file : file
    }

    @Test func anyFileComesOutOfPiecesOfAnySize() throws {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        for round in 0..<2_000 {
            let boundary = String(repeating: "-", count: random.below(5)) + "b\(random.below(100))"
            let file = Self.file(&random, boundary: boundary)
            guard Array(file).firstRange(of: Array("\r\n--\(boundary)".utf8)) == nil else { continue }
            let form = Self.form(file, boundary: boundary, end: ["--", "--\r\n", "-- \t\r\n\r\n"][random.below(3)])
            for most in [1, 3, 80, form.count] {
                let pieces = Self.pieces(of: form, &random, upTo: most)
                #expect(try Self.parse(pieces, boundary: boundary) == file, "seed \(seed), round \(round)")
            }
        }
    }

    @Test func damagedFormsAreRefusedOrTheSameInWhateverPieces() throws {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        for round in 0..<3_000 {
            var form = Self.form(Self.file(&random, boundary: "bb"), boundary: "bb")
            for _ in 0...random.below(3) {
                switch random.below(3) {
                case 0: form[random.below(form.count)] = UInt8(random.below(256))
                case 1: form.remove(at: random.below(form.count))
                default:
                    form.insert(contentsOf: ["\r\n", "--bb", "\n"][random.below(3)].utf8, at: random.below(form.count))
                }
            }
            let whole = Result { () throws(CloudError) in try Self.parse([form], boundary: "bb") }
            let pieces = Self.pieces(of: form, &random, upTo: 1 + random.below(40))
            let inPieces = Result { () throws(CloudError) in try Self.parse(pieces, boundary: "bb") }
            #expect(whole == inPieces, "seed \(seed), round \(round)")
            if case .failure(let error) = whole { #expect(error.code == .badRequest && !error.reason.isEmpty) }
        }
    }

    @Test func everyPrefixOfAFormIsRefused() {
        let form = Self.form(Array("file".utf8), boundary: "bb")
        for length in 0..<form.count {
            #expect(throws: CloudError.self) { try Self.parse([Array(form.prefix(length))], boundary: "bb") }
        }
    }

    @Test func aFileMayBeEmptyWithOrWithoutItsLineEnd() throws {
        #expect(try Self.parse([Self.form([], boundary: "b")], boundary: "b") == [])
        let bare = Array("--b\r\n\(Self.fields)\r\n--b--".utf8)
        #expect(try Self.parse([bare], boundary: "b") == [])
        #expect(try Self.parse([Array("\r\n".utf8) + bare], boundary: "b") == [])
    }

    @Test(arguments: [
        ("Content-Disposition: attachment\r\n", "Content-Disposition"), ("", "Content-Disposition"),
        ("Content-Disposition: form-data\r\nContent-Disposition: form-data\r\n", "malformed"),
        ("Content-Disposition: form-data\r\n folded\r\n", "malformed"),
        ("Content-Disposition form-data\r\n", "malformed"),
        ("Content-Disposition: form-data\nA: b\r\n", "malformed"), (": form-data\r\n", "malformed"),
        (fields + "Content-Transfer-Encoding: base64\r\n", "Content-Transfer-Encoding"),
        (fields + "Content-Length: 5\r\n", "4 bytes instead of 5"), (fields + "Content-Length: x\r\n", "malformed"),
        ("Content-Disposition: form-data\r\nContent-Type: multipart/mixed; boundary=q\r\n", "more than one part"),
        ("X: \(String(repeating: "x", count: ServerLimits.formHeaderSize))\r\n", "larger than the maximum"),
    ])
    func headerFieldsThatTellNoPlainFileAreRefused(fields: String, word: String) throws {
        let form = Self.form(Array("file".utf8), boundary: "b", fields: fields)
        for pieces in [[form], form.map { [$0] }] {
            let error = #expect(throws: CloudError.self) { try Self.parse(pieces, boundary: "b") }
            #expect(error?.reason.contains(word) == true, "\(error?.reason ?? "")")
        }
    }

    @Test func headerFieldsHaveARoomOfTheirOwn() throws {
        let rest = ServerLimits.formHeaderSize - Self.fields.utf8.count - "X: \r\n".utf8.count
        let fields = Self.fields + "X: " + String(repeating: "x", count: rest) + "\r\n"
        let form = Self.form(Array("file".utf8), boundary: "b", fields: fields)
        for pieces in [[form], form.map { [$0] }] {
            #expect(try Self.parse(pieces, boundary: "b") == Array("file".utf8))
        }
        let longer = Self.form(Array("file".utf8), boundary: "b", fields: fields + "Y:\r\n")
        #expect(throws: CloudError.self) { try Self.parse([longer], boundary: "b") }
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data;BOUNDARY=abc", "abc"),
            ("multipart/form-data; charset=utf-8; boundary=\"a b\\\"c\"", nil),
            ("multipart/form-data; boundary=\"a b\"", "a b"),
            ("multipart/form-data; boundary=\"a\\bc\" ;", "abc"), ("multipart/form-data", nil),
            ("multipart/form-data; boundary=", nil), ("multipart/form-data; boundary=a; boundary=b", nil),
            ("multipart/form-data; boundary=\"abc", nil), ("multipart/form-data; boundary=\"a \"", nil),
            ("multipart/form-data; boundary=\(String(repeating: "a", count: 70))", String(repeating: "a", count: 70)),
            ("multipart/form-data; boundary=\(String(repeating: "a", count: 71))", nil),
            ("multipart/form-data; boundary=a\u{e9}", nil),
        ] as [(String, String?)])
    func boundariesAreReadAsTheStandardSays(header: String, boundary: String?) throws {
        let headers = HTTPHeaders([("Content-Type", header)])
        guard let boundary else {
            #expect(throws: CloudError.self) { try UploadEnvelope(headers) }
            return
        }
        #expect(try UploadEnvelope(headers) == .form(boundary: Array(boundary.utf8)))
    }

    @Test(arguments: [
        "image/png", "multipart/mixed; boundary=a", "multipart/related", "application/octet-stream", "x", "",
    ])
    func otherBodiesAreTheAsset(header: String) throws {
        #expect(try UploadEnvelope(HTTPHeaders([("Content-Type", header)])) == .none)
    }
}
