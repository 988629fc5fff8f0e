/// A position in a Swift source, from which parts are taken.
struct SourceScanner {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) { characters = Array(text) }

    var peek: Character? { position < characters.count ? characters[position] : nil }

    private func starts(with text: String) -> Bool { characters[position...].starts(with: text) }

    mutating func take() -> Character {
        defer { position += 1 }
        return characters[position]
    }

    mutating func skip(_ text: String) -> Bool {
        guard starts(with: text) else { return false }
        position += text.count
        return true
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = position
        while let next = peek, condition(next) { position += 1 }
        return String(characters[start..<position])
    }

    mutating func blanks() -> String { take { $0 == " " || $0 == "\t" } }
    mutating func space() -> String { take { $0.isWhitespace } }

    /// Takes text up to a character, and the character, which is not part of the result.
    mutating func text(until end: Character) -> String {
        let text = take { $0 != end }
        if peek != nil { position += 1 }
        return text
    }

    /// Takes an identifier or a keyword.
    mutating func word() -> String? {
        guard let first = peek, first.isLetter || first == "_" else { return nil }
        return take { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// Takes an identifier that may stand between backticks.
    mutating func identifier() -> String? {
        guard peek == "`" else { return word() }
        position += 1
        return "`" + text(until: "`") + "`"
    }

    /// Takes a modifier or the introducer of a declaration, attributes included.
    mutating func modifier(unless excluded: String? = nil) -> String? {
        let start = position
        let sign = peek == "@" ? String(take()) : ""
        guard let word = word(), word != excluded else {
            position = start
            return nil
        }
        return sign + word
    }

    /// Takes text from an opening parenthesis to the closing one.
    mutating func parenthesized() -> String { enclosed("(", ")") }

    /// Takes text between angle brackets, with the brackets; nil if none begins here.
    mutating func genericArguments() -> String? { peek == "<" ? enclosed("<", ">") : nil }

    private mutating func enclosed(_ opening: Character, _ closing: Character) -> String {
        let start = position
        var depth = 0
        repeat {
            switch peek {
            case opening: depth += 1
            case closing: depth -= 1
            case nil: return String(characters[start...])
            default: break
            }
            position += 1
        } while depth > 0
        return String(characters[start..<position])
    }

    /// Takes the type of a property, to the end of its line.
    mutating func type() -> String {
        let start = position
        var depth = 0
        while let next = peek {
            if "([<".contains(next) { depth += 1 }
            if ")]>".contains(next) { depth -= 1 }
            let isComment = starts(with: "//") || starts(with: "/*")
            if isComment || next == "}" || depth <= 0 && (next.isNewline || ";{=".contains(next)) { break }
            position += 1
        }
        while position > start, characters[position - 1].isWhitespace { position -= 1 }
        return String(characters[start..<position])
    }

    /// Takes a comment; nil if there is none here.
    mutating func comment() -> String? {
        let start = position
        if starts(with: "//") {
            return take { !$0.isNewline }
        }
        guard skip("/*") else { return nil }
        var depth = 1
        while depth > 0, peek != nil {
            if skip("/*") {
                depth += 1
            } else if skip("*/") {
                depth -= 1
            } else {
                position += 1
            }
        }
        return String(characters[start..<position])
    }

    /// The texts around and in a string literal that have a meaning.
    struct StringDelimiter {
        let opening: String
        let closing: String
        let escape: String
        var interpolation: String { escape + "(" }
        var isMultiline: Bool { closing.hasPrefix("\"\"\"") }
    }

    /// Whether a string literal begins here.
    var startsString: Bool {
        var index = position
        while index < characters.count, characters[index] == "#" { index += 1 }
        return index < characters.count && characters[index] == "\""
    }

    mutating func stringDelimiter() -> StringDelimiter {
        let hashes = take { $0 == "#" }
        let quotes = skip("\"\"\"") ? "\"\"\"" : String(take())
        return StringDelimiter(opening: hashes + quotes, closing: quotes + hashes, escape: "\\" + hashes)
    }
}
