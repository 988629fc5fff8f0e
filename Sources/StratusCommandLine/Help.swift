/// The help text of a command.
struct Help {
    private static let width = 80
    private static let widestLabel = 28

    private let path: [Command]
    private let command: Command

    /// Help for the last command of `path`, which is never empty.
    init(_ path: [Command]) {
        self.path = path
        command = path[path.count - 1]
    }

    var text: String {
        var sections = ["\(Self.wrapped(command.summary, indent: 0))", "Usage: " + synopsis]
        if !command.discussion.isEmpty {
            sections.append(
                command.discussion.split(separator: "\n\n").map { Self.wrapped($0, indent: 0) }.joined(
                    separator: "\n\n"))
        }
        sections += self.sections.map { Self.section($0.title, $0.rows) }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// A label, such as an option with its value, and what it is for.
    typealias Row = (label: String, text: String)

    /// What the command takes, under headings; sections may be empty.
    var sections: [(title: String, rows: [Row])] {
        [
            ("Arguments", command.positionals.map { (label: $0.title, text: Self.text(of: $0)) }),
            ("Commands", command.shownSubcommands.map { (label: $0.name, text: $0.summary) }),
            ("Options", ownOptions + [(label: "-h, --help", text: "Shows this help")]),
            ("Common options", path.dropLast().flatMap(\.options).map(Self.row)),
        ]
    }

    /// How the command is called.
    var synopsis: String {
        var words = path.map(\.name) + ["[options]"]
        if !command.subcommands.isEmpty { words.append(command.run == nil ? "<command>" : "[<command>]") }
        words += command.positionals.map { positional in
            let title = positional.title + (positional.isRepeated ? "..." : "")
            return positional.isRequired ? title : "[\(title)]"
        }
        return words.joined(separator: " ")
    }

    private var ownOptions: [Row] {
        let version =
            path.count == 1 && command.version != nil ? [(label: "    --version", text: "Shows the version")] : []
        return command.options.map(Self.row) + version
    }

    private static func row(_ option: Declaration) -> Row {
        let short = option.short.map { "-\($0), " } ?? "    "
        let value = option.form == .flag ? "" : " <\(option.placeholder)>"
        return (label: short + option.title + value, text: text(of: option))
    }

    private static func text(of declaration: Declaration) -> String {
        declaration.notes.isEmpty
            ? declaration.help : "\(declaration.help) (\(declaration.notes.joined(separator: "; ")))"
    }

    private static func section(_ title: String, _ rows: [Row]) -> String {
        guard !rows.isEmpty else { return "" }
        let column = min(rows.map(\.label.count).max() ?? 0, widestLabel) + 4
        let lines = rows.map { row in
            let text = wrapped(row.text, indent: column)
            let label = "  " + row.label
            // A long label stands on a line of its own.
            let gap = column - label.count
            return gap >= 2
                ? label + String(repeating: " ", count: gap) + text
                : label + "\n" + String(repeating: " ", count: column) + text
        }
        return "\(title):\n" + lines.joined(separator: "\n")
    }

    /// `text` in lines of at most `width` columns, all but the first indented.
    private static func wrapped(_ text: some StringProtocol, indent: Int) -> String {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, indent + last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
