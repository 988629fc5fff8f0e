/// Text in quotation marks; a backslash takes the next character as it is.
enum QuotedText {
    /// What stands between the marks; nil unless the whole text is quoted.
    static func unquoted(_ text: String) -> String? {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, character == "\"" { return nil }
            result.append(character)
            isEscaped = false
        }
        return isEscaped ? nil : result
    }

    /// Parts between commas, of which those inside quotation marks do not count. Nothing has no parts.
    static func parts(_ text: Substring) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == ",", !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts.count == 1 && TextValue.trimmed(parts[0]).isEmpty ? [] : parts
    }
}
