/// Follows keys through objects. A key that nothing has is nil.
enum KeyPathReader {
    static func value(at path: String, in object: Any?) -> Any? {
        value(at: path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...], in: object)
    }

    private static func value(at keys: ArraySlice<String>, in object: Any?) -> Any? {
        var object = object
        var keys = keys
        while let key = keys.popFirst() {
            guard let current = object else { return nil }
            if let `operator` = CollectionOperator(rawValue: key) {
                return `operator`.apply(to: current) { keys.isEmpty ? $0 : value(at: keys, in: $0) }
            }
            // The rest of the path is followed in each member of a collection.
            object = value(forKey: key, in: current)
        }
        return object
    }

    private static func value(forKey key: String, in object: Any) -> Any? {
        if key.lowercased() == "self" { return object }
        switch object {
        case let object as any KeyValueReadable: return object.value(forKey: key)
        case let object as PredicateObject: return value(forKey: key, in: object.object)
        case let object as OpaqueValue: return value(forKey: key, in: object.value)
        case let object as String: return property(key, of: object)
        case let object as Date: return property(key, of: object)
        case let object as [String: Any]: return object[key]
        case let object as NSDictionary: return object.object(forKey: key)
        default: break
        }
        if let members = members(of: object) {
            return members.map { value(forKey: key, in: $0) ?? NSNull() }
        }
        return reflected(key, in: object)
    }

    /// The members of an array or a set, Swift's or Foundation's; nil if it is neither.
    static func members(of object: Any) -> [Any]? {
        switch object {
        case let object as [Any]: object
        case let object as NSOrderedSet: object.array
        case let object as NSSet: object.allObjects
        case let object as Set<AnyHashable>: object.map(\.base)
        default: nil
        }
    }

    private static func property(_ key: String, of text: String) -> Any? {
        switch key {
        case "length": text.utf16.count
        case "uppercaseString": text.uppercased()
        case "lowercaseString": text.lowercased()
        case "capitalizedString": text.capitalized
        case "intValue", "integerValue", "longLongValue": NSString(string: text).integerValue
        case "doubleValue", "floatValue": NSString(string: text).doubleValue
        case "boolValue": NSString(string: text).boolValue
        case "lastPathComponent": NSString(string: text).lastPathComponent
        case "pathExtension": NSString(string: text).pathExtension
        case "description": text
        default: nil
        }
    }

    private static func property(_ key: String, of date: Date) -> Any? {
        switch key {
        case "timeIntervalSinceReferenceDate": date.timeIntervalSinceReferenceDate
        case "timeIntervalSince1970": date.timeIntervalSince1970
        case "timeIntervalSinceNow": date.timeIntervalSinceNow
        default: nil
        }
    }

    private static func reflected(_ key: String, in object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == key }) {
                return PredicateValue.unwrapped(child.value)
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
