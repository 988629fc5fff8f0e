import Foundation

// The only property never changes, and is a value.
/// A position in the history of the stores of a coordinator. Programs keep it as data.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The number of the last transaction of each store, by the store's UUID.
    package let positions: [String: Int64]

    /// The class may be part of secure archives.
    public static var supportsSecureCoding: Bool { true }

    private static let key = "stratusPositions"

    package init(_ positions: [String: Int64]) {
        self.positions = positions
        super.init()
    }

    /// Reads a token from an archive. Tokens of Apple's systems cannot be read.
    public required init?(coder: NSCoder) {
        let classes = [NSDictionary.self, NSString.self, NSNumber.self]
        let decoded = coder.decodeObject(of: classes, forKey: Self.key) as? [String: NSNumber]
        guard let decoded, decoded.values.allSatisfy({ $0.int64Value >= 0 }) else { return nil }
        positions = decoded.mapValues(\.int64Value)
        super.init()
    }

    /// Writes the token to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(positions.mapValues { NSNumber(value: $0) } as NSDictionary, forKey: Self.key)
    }

    /// Returns the token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other token is of the same position.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.positions == positions
    }

    /// The hash of the position.
    open override var hash: Int { positions.hashValue }

    /// The positions by store.
    open override var description: String {
        "<NSPersistentHistoryToken \(positions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })>"
    }
}
