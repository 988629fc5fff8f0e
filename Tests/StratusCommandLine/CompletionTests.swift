import Testing

@testable import StratusCommandLine

@Suite struct CompletionTests {
    private enum Color: String, CaseIterable, Sendable { case red, green }

    private static let root: Command = {
        let verbose = Option.flag("verbose", short: "v", help: "Says more")
        let color = Option.optional("color", short: "c", ValueKind<Color>.choice(), help: "The color")
        let input = Option.repeated("input", .file, help: "Files")
        let target = Positional.required("target", .directory, help: "Where it goes")
        let kind = Positional.optional("kind", ValueKind<Color>.choice(), help: "The kind")
        return Command(
            "paint", summary: "Paints", options: [verbose],
            subcommands: [
                Command("wall", summary: "A wall", options: [color, input], positionals: [target, kind]) { _ in 0 },
                Command("wait", summary: "Waits") { _ in 0 },
                Command("secret", summary: "Hidden", isHidden: true) { _ in 0 },
            ], hints: ["fence": "'paint wall' paints fences, too"])
    }()

    private func words(_ line: String...) -> [String] { Completion(Self.root, line).candidates.map(\.word) }

    @Test func commandsAndOptions() {
        #expect(words("") == ["wall", "wait"])
        #expect(words("wal") == ["wall"])
        #expect(words("-v", "wal") == ["wall"])
        #expect(words("--") == ["--verbose", "--help"])
        #expect(words("wall", "--") == ["--color", "--input", "--verbose", "--help"])
        #expect(words("wall", "--color", "red", "--c").isEmpty, "it stands once")
        #expect(words("wall", "--input", "a", "--i") == ["--input"])
        #expect(words("none", "").isEmpty == false, "an unknown word is no reason to stop")
        #expect(Completion(Self.root, ["wai"]).candidates.first?.help == "Waits")
    }

    @Test func values() {
        #expect(words("wall", "--color", "") == ["red", "green"])
        #expect(words("wall", "--color=r") == ["--color=red"])
        #expect(words("wall", "--color", "=") == ["red", "green"])
        #expect(words("wall", "--color", "=", "g") == ["green"])
        #expect(words("wall", "-c", "g") == ["green"])
        #expect(Completion(Self.root, ["wall", "--input", "x"]).includesFiles)
        #expect(Completion(Self.root, ["wall", "x"]).includesDirectories)
        #expect(words("wall", "x", "r") == ["red"])
        #expect(words("wall", "x", "red", "").isEmpty)
        #expect(words("wall", "--", "x", "g") == ["green"])
        #expect(Completion(Self.root, ["wall", "x"]).lines == [":directories"])
    }

    @Test func hintsComeBeforeGuesses() {
        guard case .refused(let message) = Self.root.parse(["fence"]) else { return #expect(Bool(false)) }
        #expect(message.hasPrefix("paint: unknown command 'fence'; 'paint wall' paints fences, too\n"))
        guard case .refused(let guess) = Self.root.parse(["secre"]) else { return #expect(Bool(false)) }
        #expect(!guess.contains("did you mean"))
    }

    @Test func pagesEscapeWhatRoffWouldTakeForItself() throws {
        let root = Command(
            "x", summary: "Takes a\\b and -c", discussion: ".dot first\n\n'quote first",
            subcommands: [Command("y", summary: "Y") { _ in 0 }])
        let page = try ManPage(root, []).text
        #expect(page.contains("x \\- Takes a\\eb and \\-c"))
        #expect(page.contains("\n\\&.dot first\n.PP\n\\&'quote first\n"))
        #expect(page.contains("\\fBx\\-y\\fR(1)"))
        #expect(throws: UsageError.self) { try ManPage(root, ["z"]) }
        #expect(ManPage.all(of: root).map(\.name) == ["x", "x-y"])
    }
}
