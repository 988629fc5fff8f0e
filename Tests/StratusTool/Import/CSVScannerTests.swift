import StratusSeeds
import Testing

@testable import StratusTool

@Suite struct CSVScannerTests {
    struct Row: Equatable {
        var line: Int
        /// nil for a malformed row.
        var fields: [String]?
    }

    /// All rows of a text that arrives in pieces of `size` bytes.
    static func rows(_ bytes: [UInt8], piece size: Int = 4_096) -> [Row] {
        var scanner = CSVScanner()
        var rows: [Row] = []
        func drain() {
            while let row = scanner.next() { rows.append(Row(line: row.line, fields: try? row.content.get())) }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            scanner.append(Array(bytes[start..<min(start + size, bytes.count)]))
            drain()
        }
        scanner.finish()
        drain()
        return rows
    }

    static func rows(_ text: String) -> [Row] { rows(Array(text.utf8)) }

    @Test(arguments: [
        ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
        ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
        ("\u{FEFF}a,b\n", [["a", "b"]]),
        ("\u{FEFF}\"a\",b\n", [["a", "b"]]),
        ("\"a,b\",\"c\nd\",\"e\"\"f\"\n", [["a,b", "c\nd", "e\"f"]]),
        (",\n", [["", ""]]),
        ("a,\n\n\r\nb,c", [["a", ""], ["b", "c"]]),
        ("\"\",x\n", [["", "x"]]),
        ("a\rb,c\n", [["a\rb", "c"]]),
        ("é,東京\n", [["é", "東京"]]),
        ("a", [["a"]]),
        ("a\r", [["a\r"]]),
        ("", []),
    ])
    func wellFormed(text: String, expected: [[String]]) {
        #expect(Self.rows(text).map(\.fields) == expected)
    }

    @Test(arguments: [
        ("a\"b,c\nd,e\n", [Row(line: 1), Row(line: 2, fields: ["d", "e"])]),
        ("\"a\"b,c\nd,e\n", [Row(line: 1), Row(line: 2, fields: ["d", "e"])]),
        ("a,b\n\"open,c\nd,e\n", [Row(line: 1, fields: ["a", "b"]), Row(line: 2), Row(line: 3, fields: ["d", "e"])]),
        ("\"x\ny\",z\"\nd,e", [Row(line: 1), Row(line: 2), Row(line: 3, fields: ["d", "e"])]),
    ])
    func malformedRowsCostALine(text: String, expected: [Row]) {
        #expect(Self.rows(text) == expected)
    }

    @Test func bytesThatAreNotUTF8CostARow() {
        #expect(Self.rows([0x61, 0xFF, 0x0A, 0x62, 0x0A]) == [Row(line: 1), Row(line: 2, fields: ["b"])])
    }

    @Test func linesAreCountedInsideQuotations() {
        #expect(Self.rows("\"a\n\nb\",c\nd,e\n").map(\.line) == [1, 4])
    }

    @Test func aRowOverTheLimitCostsItsLine() {
        let long = [UInt8](repeating: 0x61, count: ImportLimits.rowSize + 10)
        let rows = Self.rows(Array("a\n".utf8) + long + Array("\nb\n".utf8), piece: 100_000)
        #expect(rows == [Row(line: 1, fields: ["a"]), Row(line: 2), Row(line: 3, fields: ["b"])])
    }

    @Test func whatIsWrittenIsReadInAnyPieces() {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let width = Int.random(in: 2...4, using: &random)
            let table = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                (0..<width).map { _ in Self.field(&random) }
            }
            let lineEnd = Bool.random(using: &random) ? "\n" : "\r\n"
            let text = table.map { row in row.map(Self.quoted).joined(separator: ",") + lineEnd }.joined()
            let rows = Self.rows(Array(text.utf8), piece: Int.random(in: 1...9, using: &random))
            #expect(rows.map(\.fields) == table, "seed \(seed)")
        }
    }

    @Test func anyBytesEndAndPositionsAreRowStarts() {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        let alphabet = Array("a,\"\n\r".utf8) + [0xC3, 0xEF, 0xBB, 0xBF]
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let whole = Self.rows(bytes)
            #expect(Self.rows(bytes, piece: 1) == whole, "seed \(seed)")
            var scanner = CSVScanner()
            scanner.append(bytes)
            scanner.finish()
            var offset: Int64 = 0
            while let row = scanner.next() {
                #expect(row.end.offset > offset, "seed \(seed)")
                offset = row.end.offset
                let isAfterLineBreak = offset == bytes.count || bytes[Int(offset) - 1] == 0x0A
                #expect(isAfterLineBreak, "seed \(seed)")
            }
        }
    }

    private static func field(_ random: inout SeededRandom) -> String {
        let characters: [Character] = ["a", "é", ",", "\"", "\n", " ", "東"]
        return String(
            (0..<Int.random(in: 0...5, using: &random)).map { _ in
                characters.randomElement(using: &random) ?? "a"
            })
    }

    private static func quoted(_ field: String) -> String {
        "\"" + field.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
}
