import StratusHTTPTransport
import StratusSeeds
import Testing

extension HTTPTransportTests {
    /// Random damage to a good head: the handler sees exactly those that an independent reading of the bytes finds strict.
    @Suite struct FramingPropertyTests {
        private static let good = "GET /path?x=1 HTTP/1.1\r\nHost: example.org\r\nX-One: two\r\nAccept: */*\r\n\r\n"
        private static let alphabet: [UInt8] = [
            0, 1, 9, 10, 10, 13, 13, 32, 32, 0x2C, 0x2F, 0x30, 0x3A, 0x3A, 0x28, 0x61, 0x7F, 0x80, 0xFF,
        ]

        @Test func onlyStrictHeadsReachTheHandler() async throws {
            let seed = Seed.draw()
            try await withServer(ClosureHandler.echo) { _, port in
                let wrong = try await client {
                    var random = SeededRandom(seed: seed)
                    var wrong: [String] = []
                    for _ in 0..<3_000 {
                        let request = Self.damaged(&random)
                        let connection = try RawClient(port: port)
                        try connection.send(request)
                        let status = try? connection.readHead().status
                        if (status == 200) != Self.isStrict(request) {
                            let text = String(decoding: request, as: UTF8.self).debugDescription
                            wrong.append("\(text) got \(status ?? 0)")
                        }
                    }
                    return wrong
                }
                #expect(wrong.isEmpty, "seed \(seed)")
            }
        }

        private static func damaged(_ random: inout SeededRandom) -> [UInt8] {
            var bytes = Array(good.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                // Not the first byte: empty lines before a request are allowed.
                let place = Int.random(in: 1..<bytes.count, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = byte
                case 1: bytes.insert(byte, at: place)
                default: bytes.remove(at: place)
                }
            }
            // Ends a head whose end was damaged.
            return bytes + Array("\r\n\r\n".utf8)
        }

        /// Whether the first head is complete and strict, read line by line from the bytes as sent.
        private static func isStrict(_ bytes: [UInt8]) -> Bool {
            var lines: [[UInt8]] = [[]]
            var index = 0
            while index < bytes.count {
                if bytes[index] == 13, index + 1 < bytes.count, bytes[index + 1] == 10 {
                    if lines[lines.count - 1].isEmpty { return areStrict(lines.dropLast()) }
                    lines.append([])
                    index += 2
                } else {
                    lines[lines.count - 1].append(bytes[index])
                    index += 1
                }
            }
            return false
        }

        private static func areStrict(_ lines: ArraySlice<[UInt8]>) -> Bool {
            guard let first = lines.first else { return false }
            let parts = first.split(separator: 32, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isToken), !parts[1].isEmpty,
                parts[1].allSatisfy({ $0 > 32 && $0 < 127 }), Array(parts[2]).starts(with: Array("HTTP/1.".utf8)),
                parts[2].count == 8, let minor = parts[2].last, minor >= 0x30, minor <= 0x39
            else { return false }
            var hosts = 0
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(isToken),
                    line[(colon + 1)...].allSatisfy({ $0 == 9 || $0 >= 32 && $0 != 127 })
                else { return false }
                guard String(decoding: line[..<colon], as: UTF8.self).lowercased() == "host" else { continue }
                hosts += 1
                guard line[(colon + 1)...].allSatisfy({ $0 < 127 && $0 != 0x2C && $0 != 0x2F }) else { return false }
            }
            return hosts == 1 || hosts == 0 && minor == 0x30
        }

        private static func isToken(_ byte: UInt8) -> Bool {
            let letters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            return letters.utf8.contains(byte)
        }
    }
}
