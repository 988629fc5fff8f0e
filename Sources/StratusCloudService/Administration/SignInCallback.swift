import StratusCloudModel

/// Addresses that an API token names.
enum SignInCallback {
    /// Characters of an address.
    static let length = 2_048

    /// Schemes that would run script in the sign-in page's name, or read files.
    private static let refusedSchemes: Set<String> = ["javascript", "data", "vbscript", "file", "blob", "about"]

    /// Throws unless `text` is an address with a scheme (custom ones are usual) that a browser can safely be sent to.
    static func check(_ text: String) throws(CloudError) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let scheme = parts.first?.lowercased(), isScheme(scheme), parts[1].hasPrefix("//"),
            !refusedSchemes.contains(scheme), text.utf8.count <= length,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "<") })
        else {
            throw CloudError(
                .badRequest, "the sign-in callback must be an absolute address such as https://app.example/")
        }
    }

    /// Throws unless `text` is an origin: scheme and host, without a path.
    static func checkOrigin(_ text: String) throws(CloudError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix(":"), isScheme(parts[0].dropLast().lowercased()), parts[1].isEmpty,
            !parts[2].isEmpty, text.utf8.count <= length, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw CloudError(.badRequest, "'\(text.prefix(64))' is not an origin such as https://app.example")
        }
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: ".")
        }
    }
}
