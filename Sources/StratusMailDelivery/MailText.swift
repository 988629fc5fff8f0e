import StratusCloudModel

/// Text of others made safe for a mail.
enum MailText {
    /// Characters of a name or a title in a mail.
    static let length = 80
    /// Keeps mail programs from making a link of what stands around it; not to be seen.
    private static let joiner: Unicode.Scalar = "\u{2060}"

    /// What parts addresses have, with the full stops of other writings, which addresses may be written with as well.
    private static let separators = ".:/@\u{3002}\u{FF0E}\u{FF61}".unicodeScalars

    /// The text in one line, without what could be taken for a link: whoever names a share must not send addresses of their
    /// own with the server's mail.
    static func plain(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in ShownText.cut(text, to: length).unicodeScalars {
            if isHidden(scalar) {
                scalars.append(" ")
                continue
            }
            scalars.append(scalar)
            if separators.contains(scalar) { scalars.append(joiner) }
        }
        return String(scalars).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Line breaks, other controls, and what turns the direction of text.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            // Joins the parts of emoji.
            scalar != "\u{200D}"
        default: false
        }
    }

    /// The host that people reach the server at, and its port.
    static func host(of publicURL: String) -> String {
        publicURL.split(separator: "/").last.map(String.init) ?? publicURL
    }

    static func html(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
