import StratusCommandLine
import Testing

/// A small tool with every kind of parameter.
private enum Tool {
    enum Engine: String, CaseIterable, Sendable { case sqlite, postgresql, memory }

    static let verbose = Option.flag("verbose", short: "v", help: "Says more")
    static let quiet = Option.flag("quiet", short: "q", help: "Says less")
    static let data = Option.value("data", short: "d", .string("folder"), default: "./data", help: "Where data lies")
    static let port = Option.value("port", short: "p", .integer(1...65_535), default: 8_080, help: "Port to listen on")
    static let engine = Option.optional("engine", ValueKind<Engine>.choice(), help: "The store")
    static let owner = Option.required("owner", .string("name"), help: "Whose token it is")
    static let scope = Option.repeated("scope", .string(), help: "What it may do")
    static let name = Positional.required("name", .string(), help: "The token's name")
    static let days = Positional.optional("days", .integer(1...365), help: "How long it holds")
    static let files = Positional.repeated("files", .string(), help: "Files to read")

    static let root = Command(
        "stratus", summary: "An open cloud", version: "stratus 1.2", options: [verbose, data],
        subcommands: [
            Command("serve", summary: "Runs the server", options: [port, engine, quiet]) { _ in 0 },
            Command(
                "token", summary: "Tokens",
                subcommands: [
                    Command(
                        "create", summary: "Makes a token", options: [owner, scope], positionals: [name, days]
                    ) { _ in 7 },
                    Command("list", summary: "Lists tokens") { _ in throw UsageError("--data holds no cloud") },
                ]),
            Command("import", summary: "Reads files", positionals: [files]) { _ in throw Failure() },
        ])

    struct Failure: Error, CustomStringConvertible { var description: String { "disk full" } }
}

@Suite struct ParserTests {
    private func invocation(_ arguments: String...) throws -> Invocation {
        let outcome = Tool.root.parse(arguments)
        guard case .run(let invocation) = outcome else {
            Issue.record("\(arguments): \(outcome)")
            throw UsageError("not run")
        }
        return invocation
    }

    private func refusal(_ arguments: [String]) -> String? {
        guard case .refused(let message) = Tool.root.parse(arguments) else { return nil }
        return message.split(separator: "\n").first.map(String.init)
    }

    @Test func valuesOfEveryForm() throws {
        let values = try invocation("serve", "--port=90", "--engine", "memory", "-v", "-d", "/x").values
        #expect(values[Tool.port] == 90)
        #expect(values[Tool.engine] == .memory)
        #expect(values[Tool.verbose])
        #expect(!values[Tool.quiet])
        #expect(values[Tool.data] == "/x")
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        let values = try invocation("serve").values
        #expect(values[Tool.port] == 8_080)
        #expect(values[Tool.engine] == nil)
        #expect(!values[Tool.verbose])
        #expect(values[Tool.data] == "./data")
    }

    @Test func shortOptionsCluster() throws {
        let values = try invocation("serve", "-qvp90").values
        #expect(values[Tool.port] == 90)
        #expect(values[Tool.verbose])
        #expect(values[Tool.quiet])
        #expect(try invocation("serve", "-vvq").values[Tool.verbose])
    }

    @Test func optionsOfACommandAboveStandAnywhere() throws {
        for words in [["-v", "token", "list"], ["token", "-v", "list"], ["token", "list", "-v"]] {
            guard case .run(let invocation) = Tool.root.parse(words) else {
                Issue.record("\(words)")
                continue
            }
            #expect(invocation.values[Tool.verbose])
            #expect(invocation.words == ["stratus", "token", "list"])
        }
    }

    @Test func positionalArgumentsAndRepeatedOptions() throws {
        let values = try invocation(
            "token", "create", "--scope", "a", "n", "--owner", "o", "30", "--scope=b=c"
        ).values
        #expect(values[Tool.name] == "n")
        #expect(values[Tool.days] == 30)
        #expect(values[Tool.owner] == "o")
        #expect(values[Tool.scope] == ["a", "b=c"])
        #expect(try invocation("token", "create", "n", "--owner=o").values[Tool.days] == nil)
        #expect(try invocation("import").values[Tool.files] == [])
    }

    @Test func afterTwoDashesEverythingIsAnArgument() throws {
        #expect(
            try invocation("import", "a", "--", "-v", "--help", "--").values[Tool.files] == ["a", "-v", "--help", "--"])
        #expect(try invocation("import", "-").values[Tool.files] == ["-"])
        #expect(try invocation("serve", "--data", "--").values[Tool.data] == "--")
    }

    @Test(
        arguments: [
            ([], "stratus: a command is missing"),
            (["token"], "stratus token: a command is missing"),
            (["serv"], "stratus: unknown command 'serv'; did you mean 'serve'?"),
            (["sevre"], "stratus: unknown command 'sevre'; did you mean 'serve'?"),
            (["xyz"], "stratus: unknown command 'xyz'"),
            (["serve", "--prot", "1"], "stratus serve: unknown option '--prot'; did you mean '--port'?"),
            (["serve", "--prot=1"], "stratus serve: unknown option '--prot'; did you mean '--port'?"),
            (["serve", "-x"], "stratus serve: unknown option '-x'"),
            (["serve", "--=1"], "stratus serve: unknown option '--'"),
            (["serve", "--port"], "stratus serve: --port needs a value"),
            (["serve", "-p"], "stratus serve: --port needs a value"),
            (["serve", "--port", "0"], "stratus serve: --port must be a whole number from 1 to 65535, not '0'"),
            (["serve", "--port="], "stratus serve: --port must be a whole number from 1 to 65535, not ''"),
            (["serve", "--port", "1", "--port", "2"], "stratus serve: --port is given twice"),
            (["serve", "--verbose=1"], "stratus serve: --verbose takes no value"),
            (["serve", "--data="], "stratus serve: --data must not be empty, not ''"),
            (
                ["serve", "--engine", "memry"],
                "stratus serve: --engine must be one of sqlite, postgresql, memory, not 'memry'"
            ),
            (["serve", "x"], "stratus serve: unexpected argument 'x'"),
            (["token", "create", "n"], "stratus token create: --owner is required"),
            (["token", "create", "--owner", "o"], "stratus token create: <name> is missing"),
            (
                ["token", "create", "--owner", "o", "n", "x"],
                "stratus token create: <days> must be a whole number from 1 to 365, not 'x'"
            ),
            (["token", "create", "--owner", "o", "n", "1", "2"], "stratus token create: unexpected argument '2'"),
            (["serve", "--version"], "stratus serve: unknown option '--version'"),
        ] as [([String], String)])
    func refusals(arguments: [String], message: String) {
        #expect(refusal(arguments) == message)
    }

    @Test func refusalsNameTheWayToHelp() {
        guard case .refused(let message) = Tool.root.parse(["token", "x"]) else {
            Issue.record("not refused")
            return
        }
        #expect(message.hasSuffix("\nTry 'stratus token --help'."))
    }

    @Test func statusAndStreamOfEveryOutcome() async {
        func run(_ arguments: String...) async -> (status: Int32, output: String, errors: String) {
            var (output, errors) = ("", "")
            let status = await Tool.root.execute(arguments, output: { output += $0 }, errors: { errors += $0 })
            return (status, output, errors)
        }
        #expect(await run("serve") == (0, "", ""))
        #expect(await run("token", "create", "n", "--owner", "o") == (7, "", ""))
        #expect(await run("--version") == (0, "stratus 1.2", ""))
        #expect(await run("import") == (1, "", "stratus: disk full"))
        #expect(
            await run("token", "list")
                == (2, "", "stratus token list: --data holds no cloud\nTry 'stratus token list --help'."))
        #expect(await run("xyz") == (2, "", "stratus: unknown command 'xyz'\nTry 'stratus --help'."))
        let help = await run("--help")
        #expect(help.status == 0 && help.errors.isEmpty && help.output.hasPrefix("An open cloud"))
    }

    /// The room's name must not hide the standard library's type of the same name.
    @Test func theProcessArgumentsAreStillInReach() {
        #expect(!CommandLine.arguments.isEmpty)
    }
}

@Suite struct HelpTests {
    private func help(_ arguments: String...) -> String? {
        guard case .show(let text) = Tool.root.parse(arguments) else { return nil }
        return text
    }

    @Test func ofTheTool() {
        #expect(
            help("--help") == """
                An open cloud

                Usage: stratus [options] <command>

                Commands:
                  serve   Runs the server
                  token   Tokens
                  import  Reads files

                Options:
                  -v, --verbose        Says more
                  -d, --data <folder>  Where data lies (default: ./data)
                      --version        Shows the version
                  -h, --help           Shows this help
                """)
    }

    @Test func ofACommand() {
        #expect(
            help("token", "create", "-h") == """
                Makes a token

                Usage: stratus token create [options] <name> [<days>]

                Arguments:
                  <name>  The token's name
                  <days>  How long it holds (1 to 365)

                Options:
                      --owner <name>  Whose token it is (required)
                      --scope <text>  What it may do (may be repeated)
                  -h, --help          Shows this help

                Common options:
                  -v, --verbose        Says more
                  -d, --data <folder>  Where data lies (default: ./data)
                """)
    }

    @Test func isFoundInThreeWays() {
        #expect(help("token", "--help") == help("help", "token"))
        #expect(help("token", "--help") == help("token", "-h", "--nonsense"))
        #expect(help("help", "token", "create") == help("token", "create", "--help"))
        #expect(help("help") == help("--help"))
    }

    @Test func longTextsAreWrapped() {
        let option = Option.flag("o", help: String(repeating: "word ", count: 60))
        let long = Option.optional("an-option-with-a-very-long-name", .string("placeholder"), help: "Help")
        let command = Command(
            "tool", summary: "A tool", discussion: String(repeating: "text ", count: 60) + "\n\nSecond.",
            options: [option, long]
        ) { _ in 0 }
        guard case .show(let text) = command.parse(["-h"]) else {
            Issue.record("no help")
            return
        }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(text.contains("\n\nSecond.\n\n"))
        #expect(text.contains("      --an-option-with-a-very-long-name <placeholder>\n        "))
    }
}
