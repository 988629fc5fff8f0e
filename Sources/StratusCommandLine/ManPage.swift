/// The manual page of a command, in the macros of man(7).
public struct ManPage: Sendable {
    /// The page's name, such as `stratus-token-create`.
    public let name: String
    /// The page.
    public let text: String

    /// Writes the page of the command that `words` call, behind the tool's name; of the tool itself without words.
    /// - Throws: ``UsageError`` if there is no such command.
    public init(_ root: Command, _ words: [String]) throws(UsageError) {
        var path = [root]
        for word in words {
            guard let next = path[path.count - 1].shownSubcommands.first(where: { $0.name == word }) else {
                throw UsageError("there is no command '\((path.map(\.name) + [word]).joined(separator: " "))'")
            }
            path.append(next)
        }
        self.init(path)
    }

    /// Writes the pages of a tool and all its commands.
    public static func all(of root: Command) -> [ManPage] { pages([root]) }

    private static func pages(_ path: [Command]) -> [ManPage] {
        [ManPage(path)] + path[path.count - 1].shownSubcommands.flatMap { pages(path + [$0]) }
    }

    private init(_ path: [Command]) {
        let command = path[path.count - 1]
        let name = path.map(\.name).joined(separator: "-")
        let source = path[0].version ?? path[0].name
        let title = [name.uppercased(), "1", "", source, "\(path[0].name) manual"]
        var lines = [
            ".TH " + title.map(Self.quoted).joined(separator: " "),
            ".SH NAME", Self.escaped(name) + " \\- " + Self.escaped(command.summary),
            ".SH SYNOPSIS", Self.escaped(Help(path).synopsis),
        ]
        if !command.discussion.isEmpty {
            lines.append(".SH DESCRIPTION")
            lines.append(
                command.discussion.split(separator: "\n\n").map { Self.escaped($0) }.joined(separator: "\n.PP\n"))
        }
        for section in Help(path).sections where !section.rows.isEmpty {
            lines.append(".SH " + section.title.uppercased())
            for row in section.rows {
                lines += [".TP", "\\fB" + Self.escaped(row.label.drop { $0 == " " }) + "\\fR", Self.escaped(row.text)]
            }
        }
        let pages =
            path.dropLast().indices.map { path[...$0].map(\.name).joined(separator: "-") }
            + command.shownSubcommands.map { "\(name)-\($0.name)" }
        if !pages.isEmpty {
            lines += [".SH SEE ALSO", pages.map { "\\fB\(Self.escaped($0))\\fR(1)" }.joined(separator: ", ")]
        }
        self.name = name
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
    }

    /// Returns text that roff prints as it is.
    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'" where result.isEmpty: result += "\\&'"
            case "." where result.isEmpty: result += "\\&."
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            default: result.append(character)
            }
        }
        return result
    }
}
