import Foundation

/// Translates between a share's short GUID, as the cloud knows it, and the address that people hand around.
package struct ShareLinks: Hashable, Sendable {
    /// What the addresses begin with; the short GUID follows.
    var base = ""

    /// The last part but one of an address's path.
    private static let folder = "share"

    /// - Parameter secret: what the keys of encrypted values are encrypted with for whoever has the link.
    func url(of shortGUID: String, _ secret: LinkSecret? = nil) -> URL? {
        base.isEmpty ? nil : URL(string: base + shortGUID + (secret.map { "#" + $0.fragment } ?? ""))
    }

    /// What a link is made of. Which machine it names does not matter: one cloud may have several names. What stands behind
    /// `#` is no part of it.
    /// - Throws: `invalidArguments` for an address that is no share's.
    static func shortGUID(of url: URL) throws -> String {
        let parts = url.pathComponents.suffix(2)
        guard parts.count == 2, parts.first == folder, let shortGUID = parts.last,
            shortGUID.utf8.allSatisfy({ $0.isLinkLetter })
        else { throw NSError.cloudKit(.invalidArguments, "'\(url.absoluteString.prefix(255))' is no link to a share.") }
        return shortGUID
    }

    /// What brings the keys of encrypted values; nil for an address without.
    static func received(_ url: URL) -> ReceivedLink? {
        guard let secret = LinkSecret(fragment: url.fragment), let shortGUID = try? shortGUID(of: url) else {
            return nil
        }
        return ReceivedLink(secret: secret, shortGUID: shortGUID)
    }
}

extension UInt8 {
    /// Whether it is a letter, a digit, `-` or `_`, as ASCII.
    fileprivate var isLinkLetter: Bool {
        (0x61...0x7A).contains(self | 0x20) || (0x30...0x39).contains(self) || self == 0x2D || self == 0x5F
    }
}
