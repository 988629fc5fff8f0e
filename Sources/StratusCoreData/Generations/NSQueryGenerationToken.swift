import Foundation

// `@unchecked Sendable`: the only property never changes, and the generation is `Sendable`. The class is open, so the
// compiler cannot see that; subclasses must keep to it.
/// A state of stores that contexts can be pinned to.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The stores as they were; nil for the state that a context finds when it first reads.
    let generation: QueryGeneration?

    private static let currentToken = NSQueryGenerationToken(nil)

    /// The token with which a context stays in the state that it finds when it first reads.
    public class var current: NSQueryGenerationToken { currentToken }

    /// The class may be part of secure archives.
    public static var supportsSecureCoding: Bool { true }

    init(_ generation: QueryGeneration?) {
        self.generation = generation
        super.init()
    }

    private static let key = "stratusIsCurrent"

    /// Reads the token ``current`` from an archive. Other tokens do not outlive their process.
    public required init?(coder: NSCoder) {
        guard coder.decodeBool(forKey: Self.key) else { return nil }
        generation = nil
        super.init()
    }

    /// Writes the token to an archive.
    open func encode(with coder: NSCoder) { coder.encode(generation == nil, forKey: Self.key) }

    /// Returns the token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other token is of the same state.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
    }

    /// The hash of the state.
    open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }
}
