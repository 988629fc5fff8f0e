/// A media type with its parameters, as `Content-Type` has it (RFC 9110, section 8.3).
struct MediaType: Hashable {
    /// Type and subtype, in lower case.
    let name: String
    private let parameters: [String: [UInt8]]

    /// Reads a header's value; nil if its parameters cannot be read, or one stands there twice.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        name = Self.text(Self.trimmed(Self.take(from: &rest) { $0 != UInt8(ascii: ";") }))
        var parameters: [String: [UInt8]] = [:]
        while rest.popFirst() != nil {
            Self.skipSpace(&rest)
            // A semicolon may end the value.
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            let name = Self.text(Self.trimmed(Self.take(from: &rest) { $0 != UInt8(ascii: "=") }))
            guard rest.popFirst() != nil, let value = Self.value(&rest),
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.parameters = parameters
    }

    /// The value of a parameter, whose name is given in lower case.
    subscript(parameter: String) -> [UInt8]? { parameters[parameter] }

    /// A token, or what stands between quotation marks, up to the next semicolon.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        skipSpace(&rest)
        guard rest.first == UInt8(ascii: "\"") else {
            return Array(trimmed(take(from: &rest) { $0 != UInt8(ascii: ";") }))
        }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                skipSpace(&rest)
                return rest.isEmpty || rest.first == UInt8(ascii: ";") ? value : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }

    private static func take(
        from rest: inout ArraySlice<UInt8>, while isTaken: (UInt8) -> Bool
    ) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return taken
    }

    private static func skipSpace(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop(while: \.isBlank) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: \.isBlank)
        while bytes.last?.isBlank == true { bytes.removeLast() }
        return bytes
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

extension UInt8 {
    /// True for a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
