/// The relations between texts.
enum PredicateTextMatch {
    typealias Options = PredicateComparison.Options

    /// Every text contains, begins and ends with the empty one.
    static func contains(_ text: String, _ part: String, _ options: Options) -> Bool {
        find(part, in: text, options, at: [])
    }

    static func begins(_ text: String, _ part: String, _ options: Options) -> Bool {
        find(part, in: text, options, at: .anchored)
    }

    static func ends(_ text: String, _ part: String, _ options: Options) -> Bool {
        find(part, in: text, options, at: [.anchored, .backwards])
    }

    private static func find(
        _ part: String, in text: String, _ options: Options, at place: NSString.CompareOptions
    ) -> Bool {
        if part.isEmpty { return true }
        let text = NSString(string: text)
        let whole = NSRange(location: 0, length: text.length)
        let range = text.range(of: part, options: options.forStrings.union(place), range: whole, locale: options.locale)
        return range.location != NSNotFound
    }

    /// `?` stands for one character, `*` for any number; behind a backslash they stand for themselves.
    ///
    /// Takes at most the product of the lengths, whatever the pattern.
    static func like(_ text: String, _ pattern: String, _ options: Options) -> Bool {
        let text = Array(options.folded(text))
        let pattern = Wildcard.pattern(options.folded(pattern))
        var (t, p) = (0, 0)
        // Where to go on if what follows the last star does not fit: the star takes one character more.
        var retry: (text: Int, pattern: Int)?
        while t < text.count {
            if p < pattern.count, case .any = pattern[p] {
                retry = (t, p)
                p += 1
            } else if p < pattern.count, pattern[p].fits(text[t]) {
                (t, p) = (t + 1, p + 1)
            } else if let (start, star) = retry {
                retry = (start + 1, star)
                (t, p) = (start + 1, star + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { if case .any = $0 { true } else { false } }
    }

    private enum Wildcard {
        case any, one, character(Character)

        func fits(_ character: Character) -> Bool {
            switch self {
            case .any: false
            case .one: true
            case .character(let own): own == character
            }
        }

        static func pattern(_ text: String) -> [Wildcard] {
            var result: [Wildcard] = []
            var characters = text.makeIterator()
            while let character = characters.next() {
                switch character {
                case "*": result.append(.any)
                case "?": result.append(.one)
                case "\\": result.append(.character(characters.next() ?? "\\"))
                default: result.append(.character(character))
                }
            }
            return result
        }
    }

    /// Whether a regular expression fits the whole text. One that cannot be read fits none.
    static func matches(_ text: String, _ pattern: String, _ options: Options) -> Bool {
        var regexOptions: NSRegularExpression.Options = []
        if options.contains(.caseInsensitive) { regexOptions.insert(.caseInsensitive) }
        let accents = options.intersection(.diacriticInsensitive)
        let (text, pattern) = (accents.folded(text), accents.folded(pattern))
        // Read alone first, as parentheses around it could make a whole of what is none.
        guard pattern.isEmpty || (try? NSRegularExpression(pattern: pattern, options: regexOptions)) != nil,
            let expression = try? NSRegularExpression(pattern: "(?:\(pattern))\\z", options: regexOptions)
        else { return false }
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, options: .anchored, range: whole) != nil
    }

    /// Whether one of the words stands in the text, by the letters: case and accents do not count.
    static func tokens(_ text: String, _ words: String) -> Bool {
        let present = Set(tokens(of: text))
        return tokens(of: words).contains { present.contains($0) }
    }

    static func tokens(of text: String) -> [String] {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            .split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
