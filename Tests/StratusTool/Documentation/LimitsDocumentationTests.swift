import Foundation
import Testing

/// `Documentation/limits.md` and the constants of the sources: what one has, the other has, too.
@Suite struct LimitsDocumentationTests {
    private let root: URL
    private let page: String
    /// By path below `Sources`.
    private let sources: [String: String]

    /// A constant of the files that is no limit, and one whose number is counted in years of 365.25 days.
    private static let others: Set = ["clientGone", "longestAge"]

    init() throws {
        root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        page = try String(contentsOf: root.appending(path: "Documentation/limits.md"), encoding: .utf8)
        let folder = root.appending(path: "Sources").resolvingSymlinksInPath()
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        var sources: [String: String] = [:]
        for path in paths where path.hasSuffix(".swift") {
            sources[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
        self.sources = sources
    }

    private func file(_ name: String) -> String? { sources.keys.first { $0 == name || $0.hasSuffix("/\(name)") } }

    private var namedFiles: [String] { page.matches(of: /`([\w\/]+\.swift)`/).map { String($0.output.1) } }

    @Test func theFilesThatThePageNamesExist() {
        for name in namedFiles { #expect(file(name) != nil, "\(name)") }
    }

    @Test func theConstantsThatThePageNamesExist() {
        let names = page.matches(of: /\(`(?:[A-Z]\w*\.)*([a-z]\w*)`\)/).map { String($0.output.1) }
        #expect(names.count > 20)
        var left = Set(names)
        for source in sources.values {
            for word in source.utf8.split(whereSeparator: { $0 != UInt8(ascii: "_") && !Self.isAlphanumeric($0) }) {
                left.remove(String(decoding: word, as: UTF8.self))
            }
        }
        #expect(left.isEmpty)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Each number in the way in which people write it: `200`, `64 KiB`, `two weeks`, `90 s`.
    @Test func thePageHasTheNumberOfEveryConstant() throws {
        let words = page.split { !$0.isLetter && !$0.isNumber && $0 != "," }.map {
            $0.hasSuffix(",") ? $0.dropLast() : $0
        }
        let phrases = Set(words.map(String.init) + zip(words, words.dropFirst()).map { "\($0) \($1)" })
        let files = Set(namedFiles.compactMap(file)).union(sources.keys.filter { $0.hasSuffix("Limits.swift") })
        var checked = 0
        for path in files.sorted() {
            for (name, number) in Self.constants(of: sources[path] ?? "") where !Self.others.contains(name) {
                checked += 1
                #expect(Self.texts(of: number).contains(where: phrases.contains), "\(path): \(name) = \(number)")
            }
        }
        #expect(checked > 300)
    }

    /// The constants that are whole numbers, or numbers of seconds; times in milliseconds.
    private static func constants(of source: String) -> [(name: String, number: Int)] {
        source.matches(
            of:
                /(?:static (?:let|var)|public var) (\w+)(?:: \w+)? = (?:Duration)?(?:\.(milliseconds|seconds)\()?([0-9_*< ]+)\)?\n/
        ).compactMap { match in
            guard let number = product(String(match.output.3)) else { return nil }
            return (String(match.output.1), match.output.2 == "seconds" ? number * 1_000 : number)
        }
    }

    private static func product(_ text: String) -> Int? {
        let parts = text.replacing("_", with: "").split(separator: "<<").map { part -> Int? in
            let factors = part.split(separator: "*").map { Int($0.trimmingCharacters(in: .whitespaces)) }
            return factors.contains(nil) ? nil : factors.compactMap(\.self).reduce(1, *)
        }
        guard let first = parts.first ?? nil else { return nil }
        return parts.count == 2 ? parts[1].map { first << $0 } : parts.count == 1 ? first : nil
    }

    private static let words = [
        1: ["one", "a", "an"], 2: ["two", "both"], 3: ["three"], 4: ["four"], 5: ["five"], 6: ["six"], 7: ["seven"],
        8: ["eight"], 10: ["ten"], 16: ["sixteen"],
    ]
    private static let sizes = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    private static let times = [
        (["s", "seconds", "second"], 1), (["minutes", "minute", "min"], 60), (["hours", "hour", "h"], 3_600),
        (["days", "day"], 86_400), (["weeks", "week"], 604_800), (["years", "year"], 31_536_000),
    ]

    private static func texts(of number: Int) -> [String] {
        var texts = [grouped(number), String(number)] + (words[number] ?? [])
        for (unit, size) in sizes where number >= size && number % size == 0 {
            texts.append("\(grouped(number / size)) \(unit)")
        }
        // The constant is in seconds or in milliseconds.
        for (units, seconds) in times {
            for size in [seconds, seconds * 1_000] where number >= size && number % size == 0 {
                let counts = [grouped(number / size)] + (words[number / size] ?? [])
                texts += counts.flatMap { count in units.map { "\(count) \($0)" } }
            }
        }
        return texts
    }

    /// With commas between the thousands.
    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits = String(digits.dropLast(3))
        }
        return ([digits] + groups).joined(separator: ",")
    }
}
