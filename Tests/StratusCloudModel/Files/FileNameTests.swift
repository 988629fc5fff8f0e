import StratusCloudModel
import StratusSeeds
import Testing

@Suite struct FileNameTests {
    @Test(arguments: ["a", "...", ".a", "a b", " ", "é", "e\u{301}", "日本語.txt", "a:b", "a\\b", "🙂", "CON"])
    func namesOfFiles(name: String) throws {
        try FileName.check(name)
    }

    @Test(arguments: ["", ".", "..", "/", "a/b", "../a", "\0", "a\0b", "\n", "\u{7F}", "\u{85}", "\t"])
    func noNamesOfFiles(name: String) {
        #expect(throws: CloudError.self) { try FileName.check(name) }
    }

    @Test func lengthIsCountedInBytes() throws {
        try FileName.check(String(repeating: "a", count: FileLimits.nameSize))
        #expect(throws: CloudError.self) { try FileName.check(String(repeating: "a", count: FileLimits.nameSize + 1)) }
        try FileName.check(String(repeating: "é", count: FileLimits.nameSize / 2))
        #expect(throws: CloudError.self) {
            try FileName.check(String(repeating: "é", count: FileLimits.nameSize / 2 + 1))
        }
    }

    @Test func numbersStandBeforeTheExtension() {
        #expect(FileName.numbered("report.pdf", 2) == "report 2.pdf")
        #expect(FileName.numbered("report", 12) == "report 12")
        #expect(FileName.numbered(".profile", 2) == ".profile 2")
        #expect(FileName.numbered("a.tar.gz", 2) == "a.tar 2.gz")
    }

    @Test func numberedNamesAreNames() throws {
        var random = SeededRandom(seed: Seed.draw())
        let letters = ["a", "é", ".", "日", "👩‍👩‍👧", " "]
        for _ in 0..<500 {
            var name = ""
            while name.utf8.count < FileLimits.nameSize - 30 || random.chance(80) {
                let next = letters[random.below(letters.count)]
                guard name.utf8.count + next.utf8.count <= FileLimits.nameSize else { break }
                name += next
            }
            let numbered = FileName.numbered(name, random.below(1_000))
            try FileName.check(numbered)
            #expect(numbered != name, "\(random)")
        }
    }
}
