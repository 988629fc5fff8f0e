import Foundation

// Apple's classes have these from key-value coding, and programs call them of user defaults as often as `set(_:forKey:)`.
extension UserDefaults {
    /// Keeps a value under a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// The value of a key; nil if there is none.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
}
