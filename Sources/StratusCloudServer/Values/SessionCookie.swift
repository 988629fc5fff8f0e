import StratusHTTPTransport

/// The cookie that holds a session of a browser.
///
/// On a secure connection its name makes browsers refuse it from any other host, also from a neighbour's name, so that
/// nobody can sign somebody else in to an account of theirs.
struct SessionCookie {
    enum Kind {
        /// A person's, at their own account. Browsers send it with links from other sites, since invitations come by
        /// mail, but never with forms of other sites.
        case account
        /// A developer's, in the console. Browsers send it with nothing that comes from other sites.
        case console

        fileprivate var name: String {
            switch self {
            case .account: "stratus-account"
            case .console: "stratus-console"
            }
        }

        fileprivate var attributes: String {
            switch self {
            case .account: "; Path=/; HttpOnly; SameSite=Lax"
            case .console: "; Path=/console; HttpOnly; SameSite=Strict"
            }
        }

        /// `__Host-` is for cookies of all paths.
        fileprivate var securePrefix: String {
            switch self {
            case .account: "__Host-"
            case .console: "__Secure-"
            }
        }
    }

    let kind: Kind
    let isSecure: Bool

    init(_ kind: Kind, isSecure: Bool) {
        self.kind = kind
        self.isSecure = isSecure
    }

    private var name: String { (isSecure ? kind.securePrefix : "") + kind.name }
    private var attributes: String { kind.attributes + (isSecure ? "; Secure" : "") }

    /// What the browser holds; nil without, and where there are two, of which one is somebody else's.
    func value(in headers: HTTPHeaders) -> String? {
        let values = headers.all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }
        return values.count == 1 ? values[0] : nil
    }

    /// The header that gives the browser a session.
    /// - Parameter seconds: how long the browser keeps it; nil keeps it until the browser is closed.
    func setting(_ value: String, seconds: Int64? = nil) -> (String, String) {
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        return ("Set-Cookie", "\(name)=\(value)\(age)\(attributes)")
    }

    /// The header that takes it away.
    var clearing: (String, String) { ("Set-Cookie", "\(name)=; Max-Age=0\(attributes)") }
}
