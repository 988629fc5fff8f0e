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
