/// Text made safe for a page.
enum HTML {
    /// The text as it may stand between tags and in quoted attributes. Control characters are left out.
    static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "`": escaped += "&#96;"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A name that somebody chose. Its direction does not reorder the text around it, and characters that nobody sees,
    /// or that turn the text around, appear as their codes.
    static func name(_ text: String) -> String {
        var visible = ""
        for scalar in text.unicodeScalars {
            if isHidden(scalar) {
                let code = String(scalar.value, radix: 16, uppercase: true)
                visible += "‹U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code + "›"
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
        return "<bdi>\(escape(visible))</bdi>"
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        // Emoji and several languages need joiners.
        case "\u{200C}", "\u{200D}": false
        // Letters that show nothing.
        case "\u{34F}", "\u{115F}", "\u{1160}", "\u{17B4}", "\u{17B5}", "\u{3164}", "\u{FFA0}": true
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}
