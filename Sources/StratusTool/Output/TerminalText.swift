/// Text that other people wrote, as it is safe to print in a terminal.
enum TerminalText {
    /// Returns the text in one line, without characters that a terminal obeys or that change the order of others.
    static func shown(_ text: String) -> String { shown(text) { _ in false } }

    /// Returns the same for a message, which may have several lines.
    static func message(_ text: String) -> String { shown(text) { $0 == "\n" } }

    private static func shown(_ text: String, isKept: (Unicode.Scalar) -> Bool) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    // Joiners, which scripts and pictures need, order nothing.
                    if ["\u{200C}", "\u{200D}"].contains(scalar) { return scalar }
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator:
                        return isKept(scalar) ? scalar : "\u{FFFD}"
                    default: return scalar
                    }
                }))
    }
}
