import HTTPTransport

/// The cookie that holds a person's session at their own account.
///
/// Browsers send it with links from other sites, since invitations come by mail, but never with forms of other sites.
///
/// On a secure connection its name makes browsers refuse it from any other host, also from a neighbour's name, so that
/// nobody can sign somebody else in to an account of theirs.
struct AccountCookie {
    private static let plainName = "stratus-account"
    private static let secureName = "__Host-stratus-account"

    let isSecure: Bool

    private var name: String { isSecure ? Self.secureName : Self.plainName }
    private var attributes: String {
        "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// What the browser holds; nil without, and where there are two, of which one is somebody else's.
    func value(in headers: HTTPHeaders) -> String? {
        let values = headers.all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }
        return values.count == 1 ? values[0] : nil
    }

    /// The header that gives the browser a session, until it is closed.
    func setting(_ value: String) -> (String, String) { ("Set-Cookie", "\(name)=\(value)\(attributes)") }

    /// The header that takes it away.
    var clearing: (String, String) { ("Set-Cookie", "\(name)=; Max-Age=0\(attributes)") }
}
