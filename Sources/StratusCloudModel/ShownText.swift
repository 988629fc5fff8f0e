/// Text that others wrote, cut to a length at which people read it.
public enum ShownText {
    /// Unicode scalars that a character may have on average: marks without end on one letter are no writing, and would make
    /// a short text of many bytes.
    public static let scalarsPerCharacter = 4

    /// The beginning of a text.
    /// - Returns: at most so many characters, and an ellipsis if there were more.
    public static func cut(_ text: String, to characters: Int) -> String {
        let bounded = String(text.unicodeScalars.prefix(characters * scalarsPerCharacter))
        let shown = bounded.prefix(characters)
        return shown.utf8.count == text.utf8.count ? text : shown + "…"
    }
}
