import StratusCloudModel
import StratusHTTPTransport

/// Where clients reach this server: as configured, or as the request says.
struct PublicAddress: Sendable {
    /// Such as `https://cloud.example`, without a slash at the end; nil goes by each request.
    let configured: String?
    /// Addresses of proxies whose `X-Forwarded-…` headers are believed.
    let trustedProxies: Set<String>

    init(configured: String? = nil, trustedProxies: Set<String> = []) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.trustedProxies = trustedProxies
    }

    /// Scheme and host of a request, such as `https://cloud.example:8443`; nil if its Host header is no host.
    func base(for head: HTTPRequestHead) -> String? {
        if let configured { return configured }
        guard let host = head.headers["Host"], Self.isHost(host) else { return nil }
        return (isSecure(head) ? "https://" : "http://") + host
    }

    /// Returns what ``base(for:)`` does.
    /// - Throws: `badRequest` if the request's Host header is no host.
    func requiredBase(for head: HTTPRequestHead) throws(CloudError) -> String {
        guard let base = base(for: head) else { throw CloudError(.badRequest, "the Host header names no host") }
        return base
    }

    /// Whether the client's connection is encrypted, here or at a trusted proxy.
    func isSecure(_ head: HTTPRequestHead) -> Bool {
        if head.isSecure { return true }
        return trustedProxies.contains(head.remoteAddress) && head.headers["X-Forwarded-Proto"] == "https"
    }

    /// Whether browsers reach the server by an encrypted connection, as far as it is known: then cookies are for such only.
    func isSecureFor(_ head: HTTPRequestHead) -> Bool { base(for: head)?.hasPrefix("https:") ?? isSecure(head) }

    /// The client's network address: what a trusted proxy saw, else the connection's.
    func client(of head: HTTPRequestHead) -> String {
        // A proxy adds at the end what it saw itself; whatever stands before is the client's own claim.
        guard trustedProxies.contains(head.remoteAddress),
            let last = head.headers.all("X-Forwarded-For").last?.split(separator: ",").last
        else { return head.remoteAddress }
        let address = last.drop { $0 == " " }.prefix { $0 != " " }
        return address.isEmpty ? head.remoteAddress : String(address)
    }

    /// What a client is counted by where addresses are.
    func network(of head: HTTPRequestHead) -> String { ClientNetwork.text(of: client(of: head)) }

    /// A name or IPv4 address, or an IPv6 address in brackets, and perhaps a port.
    static func isHost(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= ServerLimits.hostLength else { return false }
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = bytes[bytes.index(after: bytes.startIndex)..<end]
            return !address.isEmpty && address.allSatisfy { isHexDigit($0) || $0 == colon || $0 == dot }
                && isPort(bytes[bytes.index(after: end)...])
        }
        let end = bytes.firstIndex(of: colon) ?? bytes.endIndex
        return end != bytes.startIndex && bytes[..<end].allSatisfy(isNameCharacter) && isPort(bytes[end...])
    }

    private static let colon = UInt8(ascii: ":")
    private static let dot = UInt8(ascii: ".")

    /// Nothing, or a colon and up to five digits.
    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        guard text.first == colon else { return text.isEmpty }
        let digits = text.dropFirst()
        return (1...5).contains(digits.count) && digits.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == UInt8(ascii: "-") || byte == dot || byte == UInt8(ascii: "_")
    }
}
