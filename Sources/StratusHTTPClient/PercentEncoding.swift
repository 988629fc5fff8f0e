/// Percent-encoding as `encodeURIComponent` does it.
public enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes everything but letters, digits and `-_.~`.
    public static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Fields as a query or a form, in this order.
    public static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { encode($0.name) + "=" + encode($0.value) }.joined(separator: "&")
    }
}
