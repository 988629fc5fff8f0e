/// Where a browser's push service takes messages for one browser: an `https` address, read strictly, since clients bring
/// it. What it resolves to is looked at when the connection is made.
struct WebPushEndpoint: Hashable, Sendable {
    /// The whole address.
    let url: String
    /// Scheme, host in lower case, and port unless it is 443: whom a token is for.
    let origin: String

    /// Nil for an address with another scheme, user information, a fragment, or a host that is neither a plain name nor
    /// numbers.
    init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C && $0 != 0x23 })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, authority.utf8.count <= PushChannelLimits.hostLength else { return nil }
        let host: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]"),
                authority[authority.index(after: authority.startIndex)..<end].allSatisfy({ $0.isHexDigit || $0 == ":" })
            else { return nil }
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != ":" }
            guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." }) else {
                return nil
            }
        }
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) ?? 0 > 0 else { return nil }
        url = text
        origin = scheme + host.lowercased() + (port == ":443" ? "" : port)
    }
}
