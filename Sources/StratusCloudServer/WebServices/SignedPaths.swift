/// The paths that the sender of a request may have signed.
enum SignedPaths {
    /// In the order to try: as received with the query, without it, percent-decoded; then the latter two with repeated
    /// slashes made one, for senders whose HTTP library changes the address after it was signed.
    static func candidates(target: String) -> [String] {
        let path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[..<$0]) } ?? target
        var candidates = [target]
        func add(_ path: String?) {
            if let path, !candidates.contains(path) { candidates.append(path) }
        }
        let decoded = PercentEncoding.decode(path.utf8)
        add(path)
        add(decoded)
        add(collapsingSlashes(path))
        add(decoded.map(collapsingSlashes))
        return candidates
    }

    private static func collapsingSlashes(_ path: String) -> String {
        var collapsed: [UInt8] = []
        for byte in path.utf8 where byte != UInt8(ascii: "/") || collapsed.last != UInt8(ascii: "/") {
            collapsed.append(byte)
        }
        return String(decoding: collapsed, as: UTF8.self)
    }
}
