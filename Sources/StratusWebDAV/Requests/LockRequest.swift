import StratusXML

/// What a `LOCK` with a body asks for.
public struct LockRequest: Hashable, Sendable {
    /// Whether a shared lock is wanted, and not an exclusive one.
    public let isShared: Bool
    /// The content of DAV: owner, as XML in which each element declares its namespace.
    public let owner: String

    /// - Throws: ``WebDAVError``: 400, or 422 for locks of other kinds than DAV: write.
    public init(_ body: [UInt8]) throws(WebDAVError) {
        let root = try WebDAVBody.read(body)
        guard root.name == .dav("lockinfo"), let scope = root.first("lockscope"), let type = root.first("locktype")
        else { throw WebDAVError(400, "the body is not DAV: lockinfo with lockscope and locktype") }
        guard type.first("write") != nil else { throw WebDAVError(422, "only write locks are supported") }
        let isShared = scope.first("shared") != nil
        guard isShared || scope.first("exclusive") != nil else {
            throw WebDAVError(422, "a lock is either exclusive or shared")
        }
        let owner = root.first("owner").map(XMLText.content(of:)) ?? ""
        guard owner.utf8.count <= WebDAVLimits.lockOwnerSize else {
            throw WebDAVError(400, "DAV: owner has more than \(WebDAVLimits.lockOwnerSize) bytes")
        }
        self.isShared = isShared
        self.owner = owner
    }

    /// The seconds of a lock by the value of `Timeout`: the first that is understood, bounded.
    public static func seconds(_ header: String?) -> Int64 {
        for item in (header ?? "").split(separator: ",") {
            let text = item.drop { $0 == " " }.prefix { $0 != " " }
            let prefix = "second-"
            guard text.lowercased().hasPrefix(prefix) else { continue }
            // A number beyond 64 bits is beyond the limit, too.
            let digits = text.dropFirst(prefix.count)
            guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
                continue
            }
            return max(1, min(Int64(digits) ?? .max, WebDAVLimits.lockSeconds))
        }
        return WebDAVLimits.lockSeconds
    }
}
