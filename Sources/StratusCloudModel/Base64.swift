/// Base64 with the standard alphabet, as bytes travel on the wire (RFC 4648, section 4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let invalid: UInt8 = 0xFF
    /// What each byte of a text stands for.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The padded text of some bytes, in ASCII.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 2 < bytes.count {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            for shift in [18, 12, 6, 0] { text.append(alphabet[Int(group >> UInt32(shift)) & 63]) }
            index += 3
        }
        switch bytes.count - index {
        case 1:
            let group = UInt32(bytes[index]) << 16
            text += [alphabet[Int(group >> 18)], alphabet[Int(group >> 12) & 63], padding, padding]
        case 2:
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
            text += [
                alphabet[Int(group >> 18)], alphabet[Int(group >> 12) & 63], alphabet[Int(group >> 6) & 63], padding,
            ]
        default: break
        }
        return text
    }

    /// As ``encode(_:)``, as a string.
    public static func string(_ bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }

    /// The text of some bytes in the alphabet for addresses, without padding (RFC 4648, section 5).
    public static func urlString(_ bytes: [UInt8]) -> String {
        let letters = encode(bytes).compactMap { letter -> UInt8? in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case padding: nil
            default: letter
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The bytes of a text, whose padding may be left out; nil if it is no base64.
    public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

    /// The bytes of a text, whose padding may be left out; nil if it is no base64.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var group: UInt32 = 0
        var letters = 0
        var paddings = 0
        for letter in text {
            if letter == padding {
                paddings += 1
                continue
            }
            let value = values[Int(letter)]
            guard value != invalid, paddings == 0 else { return nil }
            group = group << 6 | UInt32(value)
            letters += 1
            if letters % 4 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
            }
        }
        guard paddings == 0 || (paddings < 3 && (letters + paddings) % 4 == 0) else { return nil }
        switch letters % 4 {
        case 0: break
        case 2: bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        default: return nil
        }
        return bytes
    }
}
