import StratusCloudModel

/// Sealed bytes as text for addresses: base64 with the alphabet that needs no escaping there (RFC 4648, section 5).
enum TicketText {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64.encode(bytes)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= AssetLimits.ticketLength else { return nil }
        var letters = Array(text.utf8)
        for index in letters.indices {
            switch letters[index] {
            case UInt8(ascii: "-"): letters[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): letters[index] = UInt8(ascii: "/")
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: break
            }
        }
        return Base64.decode(letters)
    }
}
