import Foundation
import StratusCompatibility

extension NSManagedObject {
    /// Returns the value at keys that are separated by dots, with operators of collections such as `@count`. Values of the
    /// members of a to-many relationship are an array.
    public func value(forKeyPath keyPath: String) -> Any? {
        PredicateCall.value(forKey: keyPath, of: PredicateValue(self)).object
    }

    /// Sets the value at keys that are separated by dots. If one of the objects on the way is missing, nothing is set.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var owner: NSManagedObject? = self
        for key in keys.dropLast() { owner = owner?.value(forKey: key) as? NSManagedObject }
        owner?.setValue(value, forKey: keys.last ?? "")
    }

    /// Returns the values of properties by their names, with `NSNull` for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Sets the values of properties by their names. `NSNull` stands for nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }
}
