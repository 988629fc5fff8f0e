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
}
