import Foundation

/// The dictionary that the handler of a batch insertion fills.
///
/// It keeps values as they are. Foundation's own converts keys and values to objects, and back when they are read.
final class BatchRow: NSMutableDictionary {
    private(set) var values: [String: Any] = [:]

    override var count: Int { values.count }

    override func object(forKey aKey: Any) -> Any? { Self.name(aKey).flatMap { values[$0] } }

    override func setObject(_ anObject: Any, forKey aKey: AnyHashable) {
        guard let name = Self.name(aKey.base) else {
            preconditionFailure("the key '\(aKey)' of a batch insertion is not the name of a property")
        }
        values[name] = anObject
    }

    override func removeObject(forKey aKey: Any) {
        if let name = Self.name(aKey) { values[name] = nil }
    }

    override func keyEnumerator() -> NSEnumerator { (values.keys.map { $0 } as NSArray).objectEnumerator() }

    override func copy(with zone: NSZone? = nil) -> Any { NSDictionary(dictionary: values) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableDictionary(dictionary: values) }

    private static func name(_ key: Any) -> String? {
        if let key = key as? String { return key }
        return (key as? AnyHashable)?.base as? String
    }
}
