import StratusCloudModel

/// Cuts a text in the schema language into words and signs.
struct SchemaLexer {
    struct Token: Hashable {
        enum Kind: Hashable {
            /// An identifier or keyword; quoted ones are never keywords.
            case word(String, isQuoted: Bool)
            case sign(Character)
            case end
        }

        var kind: Kind
        var line: Int
        var column: Int

        /// As messages show it.
        var text: String {
            switch kind {
            case .word(let word, let isQuoted): isQuoted ? "\"\(word)\"" : "'\(word)'"
            case .sign(let sign): "'\(sign)'"
            case .end: "the end of the file"
            }
        }
    }

    /// Words that must be quoted to be names.
    static let reservedWords: Set<String> = ["grant", "preferred", "queryable", "sortable", "searchable"]

    private let text: [Character]
    private var position = 0
    private var line = 1
    private var column = 1

    init(_ text: String) { self.text = Array(text) }

    static func isPlainIdentifier(_ name: String) -> Bool {
        guard let first = name.first, isLetter(first) else { return false }
        return name.allSatisfy { isLetter($0) || isDigit($0) || $0 == "_" }
    }

    /// All tokens, the last of them ``Token/Kind/end``.
    mutating func tokens() throws(SchemaMistake) -> [Token] {
        var tokens: [Token] = []
        while true {
            try skipBlanksAndComments()
            let (line, column) = (line, column)
            guard let character = peek() else {
                tokens.append(Token(kind: .end, line: line, column: column))
                return tokens
            }
            let kind: Token.Kind
            if character == "\"" {
                kind = try quotedWord()
            } else if Self.isLetter(character) || character == "_" {
                kind = .word(takeWhile { Self.isLetter($0) || Self.isDigit($0) || $0 == "_" }, isQuoted: false)
            } else if "(),;<>".contains(character) {
                advance()
                kind = .sign(character)
            } else {
                throw error("unexpected character '\(character)'")
            }
            tokens.append(Token(kind: kind, line: line, column: column))
        }
    }

    private mutating func quotedWord() throws(SchemaMistake) -> Token.Kind {
        advance()
        let word = takeWhile { $0 != "\"" && !$0.isNewline }
        guard peek() == "\"" else { throw error("a quoted name is not closed") }
        advance()
        return .word(word, isQuoted: true)
    }

    private mutating func skipBlanksAndComments() throws(SchemaMistake) {
        while let character = peek() {
            if character.isWhitespace {
                advance()
            } else if character == "/" && peek(1) == "/" || character == "-" && peek(1) == "-" {
                _ = takeWhile { !$0.isNewline }
            } else if character == "/" && peek(1) == "*" {
                while !(peek() == "*" && peek(1) == "/") {
                    guard peek() != nil else { throw error("a comment is not closed") }
                    advance()
                }
                advance()
                advance()
            } else {
                return
            }
        }
    }

    private mutating func takeWhile(_ condition: (Character) -> Bool) -> String {
        var taken = ""
        while let character = peek(), condition(character) {
            taken.append(character)
            advance()
        }
        return taken
    }

    private func peek(_ offset: Int = 0) -> Character? {
        position + offset < text.count ? text[position + offset] : nil
    }

    private mutating func advance() {
        guard position < text.count else { return }
        if text[position].isNewline {
            line += 1
            column = 1
        } else {
            column += 1
        }
        position += 1
    }

    private func error(_ message: String) -> SchemaMistake {
        SchemaMistake(line: line, column: column, message: message)
    }

    private static func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }
    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
