import StratusXML

/// The properties that tell of locks.
public enum LockProperties {
    /// DAV: supportedlock.
    public static let supported =
        "<D:supportedlock>" + entry("exclusive") + entry("shared") + "</D:supportedlock>"

    private static func entry(_ scope: String) -> String {
        "<D:lockentry><D:lockscope><D:\(scope)/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>"
    }

    /// DAV: lockdiscovery.
    public static func discovery(_ locks: [WebDAVLock], now: Int64) -> String {
        guard !locks.isEmpty else { return "<D:lockdiscovery/>" }
        return "<D:lockdiscovery>" + locks.map { active($0, now: now) }.joined() + "</D:lockdiscovery>"
    }

    private static func active(_ lock: WebDAVLock, now: Int64) -> String {
        let seconds = max(1, (lock.expires - now + 999) / 1_000)
        return "<D:activelock><D:locktype><D:write/></D:locktype>"
            + "<D:lockscope><D:\(lock.isShared ? "shared" : "exclusive")/></D:lockscope>"
            + "<D:depth>\(lock.isDeep ? "infinity" : "0")</D:depth>"
            + (lock.owner.isEmpty ? "" : "<D:owner>\(lock.owner)</D:owner>")
            + "<D:timeout>Second-\(seconds)</D:timeout>"
            + "<D:locktoken><D:href>\(XMLText.escaped(lock.token))</D:href></D:locktoken>"
            + "<D:lockroot><D:href>\(XMLText.escaped(lock.root))</D:href></D:lockroot></D:activelock>"
    }

    /// The body of an answer to `LOCK`.
    public static func answer(_ locks: [WebDAVLock], now: Int64) -> String {
        XMLText.declaration + #"<D:prop xmlns:D="DAV:">"# + discovery(locks, now: now) + "</D:prop>\n"
    }
}
