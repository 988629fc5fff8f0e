/// The fields of a submitted form (`application/x-www-form-urlencoded`).
struct FormFields: Sendable {
    /// Fields of one form; more refuse it.
    private static let limit = 32

    private var values: [String: String] = [:]

    /// Nil for anything a browser does not send: broken escapes, other encodings than UTF-8, a field twice.
    init?(_ body: [UInt8]) {
        guard let text = String(validating: body, as: UTF8.self) else { return nil }
        let pairs = text.utf8.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.limit else { return nil }
        for pair in pairs {
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = Self.decode(pair[..<mark]), let value = Self.decode(pair[mark...].dropFirst()),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// As a percent-encoded text in which a plus stands for a space.
    private static func decode(_ bytes: Substring.UTF8View) -> String? {
        guard bytes.contains(UInt8(ascii: "+")) else { return PercentEncoding.decode(bytes) }
        return PercentEncoding.decode(bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }
}
