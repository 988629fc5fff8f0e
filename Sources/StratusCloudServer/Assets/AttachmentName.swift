/// Names of files in `Content-Disposition` (RFC 6266).
enum AttachmentName {
    /// Characters of a name.
    private static let length = 200

    /// The header's value: always to be saved, never to be shown, under the name that the client put into the address,
    /// if it did.
    static func disposition(_ name: String?) -> String {
        guard let name, name != AssetAddress.namePlaceholder, !name.isEmpty else { return "attachment" }
        let cleaned = String(name.unicodeScalars.filter { !isUnsafe($0) }.prefix(length).map(Character.init))
        guard !cleaned.isEmpty, cleaned != ".", cleaned != ".." else { return "attachment" }
        let plain = String(cleaned.unicodeScalars.map { $0.isASCII ? Character($0) : "_" })
        let isPlain = plain == cleaned
        return "attachment; filename=\"\(plain)\""
            + (isPlain ? "" : "; filename*=UTF-8''\(PercentEncoding.encode(cleaned))")
    }

    /// Separators of paths, what quotes would need, controls, and what turns the direction of text.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", "\\", "\"", "%", ";", ":": true
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
            default: false
            }
        }
    }
}
