/// Writes XML.
public enum XMLText {
    /// The first line of every document.
    public static let declaration = #"<?xml version="1.0" encoding="utf-8"?>"# + "\n"

    /// Text with everything escaped that would be markup in an element or in an attribute between double quotes.
    /// Characters that XML cannot contain become U+FFFD.
    public static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            // Parsers turn these into spaces or line feeds unless they are references.
            case "\r": escaped += "&#13;"
            case "\n": escaped += "&#10;"
            case "\t": escaped += "&#9;"
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), 0xEF: false
        default: true
        }
    }
}
