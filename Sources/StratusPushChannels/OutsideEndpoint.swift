/// Where somebody outside takes messages: an `https` address, read strictly, since clients and developers bring it. What
/// it resolves to is looked at when the connection is made.
struct OutsideEndpoint: Hashable, Sendable {
    /// The whole address.
    let url: String
    /// Scheme, host in lower case, and port unless it is the scheme's: whom a token is for.
    let origin: String
    /// The host in lower case, without the brackets of numbers.
    let host: String

    /// Nil for an address with another scheme, user information, a fragment, or a host that is neither a plain name nor
    /// numbers.
    /// - Parameter allowsPlain: whether `http` will do, too.
    init?(_ text: String, allowsPlain: Bool = false) {
        let schemes = [("https://", ":443")] + (allowsPlain ? [("http://", ":80")] : [])
        guard let (scheme, usualPort) = schemes.first(where: { text.hasPrefix($0.0) }),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C && $0 != 0x23 })
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
        origin = scheme + host.lowercased() + (port == usualPort ? "" : port)
        self.host = host.lowercased().filter { $0 != "[" && $0 != "]" }
    }
}
