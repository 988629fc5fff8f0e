/// Text in single or double quotation marks, which mean the same; a backslash takes the next character as it is.
enum QuotedText {
    private static func isMark(_ character: Character) -> Bool { character == "\"" || character == "'" }

    /// Returns the text between the marks; nil unless the whole text is quoted.
    static func unquoted(_ text: String) -> String? {
        guard text.count >= 2, let mark = text.first, isMark(mark), text.last == mark else { return nil }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, character == mark { return nil }
            result.append(character)
            isEscaped = false
        }
        return isEscaped ? nil : result
    }

    /// Returns the parts between commas. Commas inside quotation marks do not count; a mark opens a quotation only at
    /// the beginning of a part, so that `O'Brien` needs none. An empty text has no parts.
    static func parts(_ text: Substring) -> [String] {
        var parts = [""]
        var mark: Character?
        var isEscaped = false
        for character in text {
            if character == ",", mark == nil {
                parts.append("")
                continue
            }
            if let open = mark {
                if character == open, !isEscaped { mark = nil }
            } else if isMark(character), parts[parts.count - 1].allSatisfy(\.isWhitespace) {
                mark = character
            }
            isEscaped = mark != nil && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts.count == 1 && TextValue.trimmed(parts[0]).isEmpty ? [] : parts
    }
}
