/// Reads a command line with the conventions of `getopt_long`: `--name value`, `--name=value`, `-n value`, `-nvalue`,
/// `-abc` for three flags, options and arguments in any order, `--` before arguments that begin with a dash.
struct Parser {
    /// The commands named so far, the tool first.
    private(set) var path: [Command]

    private var texts: [String: [String]] = [:]
    private var positionals: [String] = []

    init(root: Command) { path = [root] }

    mutating func parse(_ arguments: [String]) throws(UsageError) -> Outcome {
        var rest = arguments[...]
        var areOptionsOver = false
        while let argument = rest.popFirst() {
            if areOptionsOver || argument == "-" || !argument.hasPrefix("-") {
                if !areOptionsOver, try enterHelp(argument, &rest) { return .show(Help(path).text) }
                try takeWord(argument)
            } else if argument == "--" {
                areOptionsOver = true
            } else if let text = specialText(argument) {
                return .show(text)
            } else if argument.hasPrefix("--") {
                try takeLong(argument.dropFirst(2), &rest)
            } else {
                try takeShort(argument.dropFirst(), &rest)
            }
        }
        return try outcome()
    }

    private var command: Command { path[path.count - 1] }

    private var options: [Declaration] { path.reversed().flatMap(\.options) }

    private func specialText(_ argument: String) -> String? {
        switch argument {
        case "--help", "-h": Help(path).text
        case "--version": path.count == 1 ? path[0].version : nil
        default: nil
        }
    }

    /// `help command subcommand …` in the place of `command subcommand … --help`.
    private mutating func enterHelp(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> Bool {
        let isKnown = command.subcommands.contains { $0.name == "help" }
        guard word == "help", !command.subcommands.isEmpty, !isKnown else { return false }
        while let word = rest.popFirst() { try takeWord(word) }
        return true
    }

    private mutating func takeWord(_ word: String) throws(UsageError) {
        guard !command.subcommands.isEmpty else {
            positionals.append(word)
            return
        }
        guard let subcommand = command.subcommands.first(where: { $0.name == word }) else {
            throw UsageError("unknown command '\(word)'" + Suggestion.text(forCommand: word, path))
        }
        path.append(subcommand)
    }

    private mutating func takeLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let equals = text.firstIndex(of: "=")
        let name = String(text[..<(equals ?? text.endIndex)])
        guard let option = options.first(where: { $0.name == name }) else {
            throw UsageError("unknown option '--\(name)'" + Suggestion.text(name, options.map(\.name), prefix: "--"))
        }
        try add(option, attached: equals.map { String(text[text.index(after: $0)...]) }, &rest)
    }

    private mutating func takeShort(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                throw UsageError("unknown option '-\(letter)'")
            }
            if option.form == .flag {
                try add(option, attached: nil, &rest)
            } else {
                return try add(option, attached: letters.isEmpty ? nil : String(letters), &rest)
            }
        }
    }

    private mutating func add(
        _ option: Declaration, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        if option.form == .flag {
            guard attached == nil else { throw UsageError("\(option.title) takes no value") }
            return texts[option.title, default: []].append("")
        }
        guard let value = attached ?? rest.popFirst() else { throw UsageError("\(option.title) needs a value") }
        guard option.isRepeated || texts[option.title] == nil else {
            throw UsageError("\(option.title) is given twice")
        }
        texts[option.title, default: []].append(value)
    }

    private mutating func outcome() throws(UsageError) -> Outcome {
        guard let body = command.run else { throw UsageError("a command is missing") }
        var left = positionals[...]
        for positional in command.positionals {
            texts[positional.title] = positional.isRepeated ? Array(left) : Array(left.prefix(1))
            left = positional.isRepeated ? [] : left.dropFirst()
        }
        if let extra = left.first { throw UsageError("unexpected argument '\(extra)'") }
        var values: [String: any Sendable] = [:]
        for declaration in options + command.positionals where values[declaration.title] == nil {
            values[declaration.title] = try declaration.interpret(texts[declaration.title] ?? [])
        }
        return .run(Invocation(path: path, values: Values(values), body: body))
    }
}
