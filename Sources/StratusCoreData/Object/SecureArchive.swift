import Foundation
import StratusCompatibility

/// Secure archives of values. Foundation on Linux stops the program at an object without secure coding, and at one of an
/// unexpected class in an archive, which may come from outside.
enum SecureArchive {
    /// The classes of property lists, and those that go with them.
    static let ofPropertyLists: [AnyClass] = [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
        NSURL.self, NSUUID.self, NSNull.self,
    ]

    /// The objects of an archive that are looked at, and so the most that a value may have.
    static let objects = 100_000

    /// Returns whether a value and the members of collections in it support secure coding. Foundation's collections are not
    /// cast to the language's, which stops the program at a set that ``isHashable(_:)`` does not allow.
    static func supports(_ value: Any) -> Bool {
        switch value {
        case let values as NSArray: values.allSatisfy(supports)
        case let values as NSDictionary:
            values.allKeys.allSatisfy { isHashable($0) && supports($0) } && values.allValues.allSatisfy(supports)
        case let values as NSSet: values.allObjects.allSatisfy { isHashable($0) && supports($0) }
        case let value as any NSSecureCoding: type(of: value).supportsSecureCoding
        default: (value as AnyObject) is any NSSecureCoding
        }
    }

    /// Returns whether sets may have a member, and dictionaries a key. Foundation on Linux stops the program when it
    /// archives, compares or goes through those that have arrays or dictionaries.
    private static func isHashable(_ value: Any) -> Bool { !(value is NSArray || value is NSDictionary) }

    /// Returns the archive of a value; nil if the value does not support secure coding.
    static func data(of value: Any) -> Data? {
        guard supports(value) else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }

    /// Returns the object in an archive; nil for data that is no archive, or that has an object of another class.
    static func object(in data: Data, ofClasses classes: [AnyClass]) -> Any? {
        var check = Check(classes)
        guard let archive = try? KeyedArchive(Array(data), file: ""), let root = try? archive.rootElement(),
            check.accepts(root, depth: 0)
        else { return nil }
        // Only programs' own classes need Foundation, which reads beyond the end of damaged dictionaries.
        guard check.hasOtherClasses else { return ArchivedCollection.object(root) }
        guard archive.allObjects.allSatisfy(ArchivedCollection.isComplete) else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
    }

    /// Compares the classes in an archive, without making objects. Parts of objects of other classes than collections
    /// are what those classes read.
    private struct Check {
        private static let known = names(of: SecureArchive.ofPropertyLists)
        private static let sets = names(of: [NSSet.self])
        private static let notHashable = names(of: [NSArray.self, NSDictionary.self])

        private let classes: [AnyClass]
        private let names: Set<String>
        /// Whether an object is of another class than those of property lists.
        private(set) var hasOtherClasses = false
        /// The objects that may still be looked at, since an archive may refer to one many times.
        private var remaining = SecureArchive.objects

        init(_ classes: [AnyClass]) {
            self.classes = classes
            names = Self.names(of: classes)
        }

        private static func names(of classes: [AnyClass]) -> Set<String> {
            Set(
                classes.flatMap { known -> [String] in
                    let name = NSStringFromClass(known)
                    return name.hasPrefix("NS") ? [name, "NSMutable" + name.dropFirst(2)] : [name]
                })
        }

        mutating func accepts(_ element: ArchivedElement, depth: Int) -> Bool {
            remaining -= 1
            guard remaining > 0, depth < PredicateLimits.depth else { return false }
            guard let object = element.object else { return accepts(element.value) }
            guard accepts(object.className) else { return false }
            if !Self.known.contains(object.className) { hasOtherClasses = true }
            let hashed = object.keys + (Self.sets.contains(object.className) ? object.elements : [])
            if hashed.contains(where: { Self.notHashable.contains($0.object?.className ?? "") }) { return false }
            for member in object.elements + object.keys where !accepts(member, depth: depth + 1) { return false }
            return true
        }

        private func accepts(_ name: String) -> Bool {
            if names.contains(name) { return true }
            guard let known = ArchivedClasses.named(name) else { return false }
            return classes.contains { $0 == known }
        }

        /// A plain value is archived as it is.
        private func accepts(_ value: PropertyListNode?) -> Bool {
            switch value {
            case .string?: names.contains("NSString")
            case .boolean?, .integer?, .double?: names.contains("NSNumber")
            case .data?: names.contains("NSData")
            case nil, .null?: names.contains("NSNull")
            case .date?, .uid?, .list?, .dictionary?: false
            }
        }
    }
}
