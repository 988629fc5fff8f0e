import Foundation
import StratusCloudModel

// As any object of Apple's systems is read and written by names.
extension CKRecord {
    /// The value of a key, or a property by its name.
    public func value(forKey key: String) -> Any? {
        if let value = field(key, isEncrypted: false) { return value.object }
        return SystemField(key: key)?.value(of: self)
    }

    /// Sets the value of a key; nil removes it. A value of a type that fields cannot hold is a fault of the program.
    public func setValue(_ value: Any?, forKey key: String) {
        setField(value.map { RecordValue.required($0, forKey: key) }, key, isEncrypted: false)
    }

    /// Sets the values of several keys; `NSNull` removes one. A value of a type that fields cannot hold is a fault of the program.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// The values of several keys; `NSNull` for one that has none.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }
}
