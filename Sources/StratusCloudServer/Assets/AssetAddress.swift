/// Addresses of bytes on this server.
enum AssetAddress {
    /// Stands for the file's name in addresses to fetch bytes from, for clients to put one in, as Apple's do. An address
    /// in which it still stands is as good.
    static let namePlaceholder = "${f}"

    /// Where to send bytes.
    static func upload(_ ticket: String, base: String) -> String { "\(base)/assets/upload/\(ticket)" }

    /// Where to fetch bytes.
    static func download(_ ticket: String, base: String) -> String {
        "\(base)/assets/download/\(ticket)/\(namePlaceholder)"
    }

    /// The ticket of an address to send bytes to, in a path that is not decoded; nil for all other paths.
    static func uploadTicket(inPath path: String) -> String? {
        // Most paths are told by their first letters.
        guard path.utf8.drop(while: { $0 == UInt8(ascii: "/") }).starts(with: "assets/".utf8) else { return nil }
        var pieces = path.split(separator: "/")[...]
        guard pieces.count == 3, pieces.popFirst() == "assets", pieces.popFirst() == "upload" else { return nil }
        return pieces.first.flatMap { PercentEncoding.decode($0.utf8) }
    }
}
