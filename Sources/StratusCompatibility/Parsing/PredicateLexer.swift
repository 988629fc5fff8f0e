/// Cuts a format into tokens.
///
/// Works on Unicode scalars, so that a combining mark inside a text cannot hide the quote before it.
struct PredicateLexer {
    let format: String
    let scalars: [Unicode.Scalar]
    var index = 0

    init(_ format: String) throws(PredicateFormatError) {
        self.format = format
        guard format.utf8.count <= PredicateLimits.formatLength else {
            throw PredicateFormatError(
                format: String(format.prefix(100)), position: 0,
                reason: "the format is longer than \(PredicateLimits.formatLength) bytes")
        }
        scalars = Array(format.unicodeScalars)
    }

    /// The next token and where it begins.
    mutating func next() throws(PredicateFormatError) -> (token: PredicateToken, position: Int) {
        while let scalar = peek, scalar.properties.isWhitespace { index += 1 }
        let start = index
        return (try token(), start)
    }

    var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    func peek(_ offset: Int) -> Unicode.Scalar? {
        index + offset < scalars.count ? scalars[index + offset] : nil
    }

    func error(_ reason: String, at position: Int? = nil) -> PredicateFormatError {
        // Characters, as a person counts them.
        let before = String(String.UnicodeScalarView(scalars[..<min(position ?? index, scalars.count)]))
        return PredicateFormatError(format: format, position: before.count, reason: reason)
    }

    private mutating func token() throws(PredicateFormatError) -> PredicateToken {
        guard let scalar = peek else { return .end }
        switch scalar {
        case "'", "\"": return .string(try text())
        case "0"..."9": return try number()
        case "." where peek(1).map(Self.isDigit) == true: return try number()
        case "$", "#", "@": return try marked(scalar)
        case "%" where peek(1) != "%": return .argument(try conversion())
        case _ where Self.beginsName(scalar): return .word(selector())
        default: break
        }
        for (symbol, spelling) in Self.spellings where scalars[index...].starts(with: spelling) {
            index += spelling.count
            return .symbol(symbol)
        }
        throw error("'\(scalar)' means nothing here")
    }

    private static let spellings = PredicateSymbol.allCases.map { ($0, Array($0.rawValue.unicodeScalars)) }

    /// `$name`, `#name`, `@name`
    private mutating func marked(_ mark: Unicode.Scalar) throws(PredicateFormatError) -> PredicateToken {
        let start = index
        index += 1
        guard let first = peek, Self.beginsName(first) else { throw error("a name must follow '\(mark)'", at: start) }
        let name = name()
        switch mark {
        case "$": return .variable(name)
        case "#": return .key(name)
        default: return .key("@" + name)
        }
    }

    private mutating func name() -> String {
        let start = index
        while let scalar = peek, Self.beginsName(scalar) || Self.continuesName(scalar) { index += 1 }
        return String(String.UnicodeScalarView(scalars[start..<index]))
    }

    /// A name, or several with colons behind each: `distanceToLocation:fromLocation:`.
    private mutating func selector() -> String {
        var result = name()
        while peek == ":" {
            index += 1
            result += ":"
            guard let scalar = peek, Self.beginsName(scalar) else { break }
            result += name()
        }
        return result
    }

    static func beginsName(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isAlphabetic }

    static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.numericType != nil || scalar.properties.generalCategory == .nonspacingMark
            || scalar == "\u{200C}" || scalar == "\u{200D}"
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }
}
