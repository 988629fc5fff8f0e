import Foundation
import StratusCompatibility
import StratusWorkers

/// A file that a query found, with its attributes.
open class NSMetadataItem: NSObject, KeyValueReadable, @unchecked Sendable {
    // `@unchecked Sendable`: the attributes are under a lock, and are values that do not change.
    private let values: Lock<Attributes>

    struct Attributes: @unchecked Sendable {
        var byName: [String: Any]
    }

    init(attributes: [String: Any]) { values = Lock(Attributes(byName: attributes)) }

    /// The item at a URL; nil if it does not exist.
    public convenience init?(url: URL) {
        guard let attributes = MetadataAttributes.of(CoordinatedPath.canonical(url)) else { return nil }
        self.init(attributes: attributes)
    }

    /// The names of the attributes that the item has.
    open var attributes: [String] { values.withLock { $0 }.byName.keys.sorted() }

    /// An attribute; nil if the item does not have it.
    open func value(forAttribute key: String) -> Any? { values.withLock { $0 }.byName[key] }

    /// Several attributes.
    open func values(forAttributes keys: [String]) -> [String: Any]? {
        values.withLock { $0 }.byName.filter { keys.contains($0.key) }
    }

    /// The same as ``value(forAttribute:)``, for predicates and sort descriptors.
    open func value(forKey key: String) -> Any? { value(forAttribute: key) }

    func replaceAttributes(_ attributes: [String: Any]) {
        let attributes = Attributes(byName: attributes)
        values.withLock { $0 = attributes }
    }
}
