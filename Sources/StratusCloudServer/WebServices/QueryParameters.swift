/// What the query of a request says. Unknown parameters, of which clients send several, are ignored.
struct QueryParameters: Hashable, Sendable {
    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    var apiToken: String?
    /// `ckWebAuthToken`, or `ckSession` as older clients call it.
    var webAuthToken: String?
    var getCurrentSyncToken = false
    /// The client's name for itself: `clientId`.
    var clientID: String?
    /// Whether the client is the SDK: `clientKind=native`.
    var isNative = false

    /// - Parameter query: what follows the `?`, not decoded. Of a parameter that is there twice the first counts.
    init(_ query: String?) {
        guard var query else { return }
        var session: String?
        query.withUTF8 { bytes in
            for pair in BytePieces(bytes, separator: UInt8(ascii: "&")) {
                guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                let value = pair[(mark + 1)...]
                switch PercentEncoding.decode(pair[..<mark]) {
                case "ckAPIToken": apiToken = apiToken ?? Self.token(value)
                case "ckWebAuthToken": webAuthToken = webAuthToken ?? Self.token(value)
                case "ckSession": session = session ?? Self.token(value)
                case "clientKind": isNative = value.elementsEqual("native".utf8)
                case "clientId": clientID = clientID ?? PercentEncoding.decode(value)
                case "getCurrentSyncToken": getCurrentSyncToken = Self.flag(value)
                default: break
                }
            }
        }
        webAuthToken = webAuthToken ?? session
    }

    /// The first value of one parameter, decoded; nil where it is missing or no text.
    static func value(of name: String, in query: String?) -> String? {
        guard var query else { return nil }
        return query.withUTF8 { bytes in
            for pair in BytePieces(bytes, separator: UInt8(ascii: "&")) {
                guard let mark = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<mark].elementsEqual(name.utf8) else {
                    continue
                }
                return PercentEncoding.decode(pair[(mark + 1)...])
            }
            return nil
        }
    }

    /// Whether a value means true: some languages write `True`.
    private static func flag(_ value: Bytes) -> Bool { PercentEncoding.decode(value)?.lowercased() == "true" }

    /// A token's text. Tokens never hold a space, so one stands for a `+` that somebody decoded on the way. What is
    /// not even percent-encoded is no token either, but it is there, so it is kept to be refused.
    private static func token(_ value: Bytes) -> String? {
        guard !value.isEmpty else { return nil }
        guard let text = PercentEncoding.decode(value) else { return String(decoding: value, as: UTF8.self) }
        let isAsSent = text.utf8.count == value.count && !value.contains(UInt8(ascii: " "))
        guard !isAsSent, text.utf8.contains(UInt8(ascii: " ")) else { return text }
        return String(decoding: text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }
}
