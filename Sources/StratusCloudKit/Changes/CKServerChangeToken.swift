import Foundation

/// How far changes were fetched. Opaque; a token of a database is none of a zone.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// As the server gave it.
    let text: String

    init(_ text: String) { self.text = text }

    /// Archives hold it, and it stays good.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let data = coder.decoded(NSData.self, "ChangeTokenData") as Data? else { return nil }
        text = String(decoding: data, as: UTF8.self)
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(Data(text.utf8) as NSData, forKey: "ChangeTokenData")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it is the same token.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.text == text }
    /// Of the token.
    public override var hash: Int { text.hashValue }
    /// For logs; without the token.
    public override var description: String { "<CKServerChangeToken: \(text.utf8.count) bytes>" }
}
