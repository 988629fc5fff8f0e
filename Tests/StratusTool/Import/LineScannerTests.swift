import Testing

@testable import StratusTool

@Suite struct LineScannerTests {
    private func lines(_ bytes: [UInt8], piece size: Int) -> [(line: Int, text: String?)] {
        var scanner = LineScanner()
        var found: [(line: Int, text: String?)] = []
        func drain() {
            while let row = scanner.next() {
                found.append((row.line, (try? row.content.get()).map { String(decoding: $0, as: UTF8.self) }))
            }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            scanner.append(Array(bytes[start..<min(start + size, bytes.count)]))
            drain()
        }
        scanner.finish()
        drain()
        return found
    }

    @Test(arguments: [1, 2, 3, 100])
    func emptyLinesAndTheMarkAreSkipped(piece: Int) {
        let found = lines(Array("\u{FEFF}{}\n\n \t\r\n[1]\r\nlast".utf8), piece: piece)
        #expect(found.map(\.line) == [1, 4, 5])
        #expect(found.map(\.text) == ["{}", "[1]\r", "last"])
    }

    @Test func aLineOverTheLimitIsRefusedAndSkipped() {
        let long = [UInt8](repeating: 0x61, count: ImportLimits.rowSize + 1)
        let found = lines(long + Array("\nb\n".utf8), piece: 65_536)
        #expect(found.map(\.line) == [1, 2])
        #expect(found.map(\.text) == [nil, "b"])
    }
}
