/// Guesses what was meant by a mistyped word.
enum Suggestion {
    /// `; did you mean 'x'?` with the nearest of `candidates`, or nothing if none is near.
    static func text(_ word: String, _ candidates: [String], prefix: String = "") -> String {
        let tolerated = max(1, word.count / 3)
        let near = candidates.map { (name: $0, distance: distance(word, $0)) }.filter { candidate in
            candidate.distance <= tolerated || (!word.isEmpty && candidate.name.hasPrefix(word))
        }
        return near.min { $0.distance < $1.distance }.map { "; did you mean '\(prefix)\($0.name)'?" } ?? ""
    }

    /// Returns what a word that is no subcommand of the last command of `path` may mean: the command's own hint, else a
    /// subcommand with a similar name, else commands of that name elsewhere.
    static func text(forCommand word: String, _ path: [Command]) -> String {
        guard let command = path.last, let root = path.first else { return "" }
        if let hint = command.hints[word] { return "; \(hint)" }
        let near = text(word, command.shownSubcommands.map(\.name))
        guard near.isEmpty else { return near }
        let others = root.paths(to: word).prefix(listedCommands).map { "'\($0)'" }
        guard let last = others.last else { return "" }
        let list = others.count == 1 ? last : others.dropLast().joined(separator: ", ") + " or " + last
        return "; did you mean \(list)?"
    }

    /// Commands of a name that a message lists at most.
    private static let listedCommands = 3

    /// Insertions, deletions, substitutions and swaps of neighbours that turn `left` into `right`.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column] + (character == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

extension Command {
    /// Returns the words that call the commands named `word` below this one.
    fileprivate func paths(to word: String) -> [String] {
        shownSubcommands.flatMap { command in
            (command.name == word ? [name + " " + word] : []) + command.paths(to: word).map { "\(name) \($0)" }
        }
    }
}
