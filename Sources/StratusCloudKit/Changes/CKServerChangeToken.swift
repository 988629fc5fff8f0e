import Foundation

/// How far changes were fetched. Opaque; a token of a database is none of a zone.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// As the server gave it, or as an archive of Apple's holds it, which no server here knows.
    private let data: Data

    init(_ text: String) { data = Data(text.utf8) }

    /// The token as it is sent.
    package var text: String { String(decoding: data, as: UTF8.self) }

    /// Archives hold it, and it stays good.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let data = coder.decoded(NSData.self, "ChangeTokenData") as Data? else { return nil }
        self.data = data
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(data as NSData, forKey: "ChangeTokenData")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it is the same token.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.data == data }
    /// Of the token.
    public override var hash: Int { data.hashValue }
    /// For logs; without the token.
    public override var description: String { "<CKServerChangeToken: \(data.count) bytes>" }
}
