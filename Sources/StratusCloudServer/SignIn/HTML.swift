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
}
