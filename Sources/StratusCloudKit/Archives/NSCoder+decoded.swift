import Foundation

extension NSCoder {
    /// The object of a key; nil if there is none, or one of another class.
    func decoded<Value: NSObject & NSCoding>(_ type: Value.Type, _ key: String) -> Value? {
        // On Linux the decoding of a missing key stops the program where the unarchiver is not told otherwise.
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: type, forKey: key)
    }

    /// The object of a key, with objects of some classes in it; nil if there is none, or one of another class.
    func decoded(_ classes: [AnyClass], _ key: String) -> Any? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: classes, forKey: key)
    }

    /// A number of an enumeration; 0, which all of Apple's have, where there is none.
    func decodedNumber(_ key: String) -> Int { Int(decodeInt64(forKey: key)) }

    /// Whether something could not be read. All that is read after it is nil, so an object made of it would lose values
    /// without a word.
    var hasFailed: Bool { (self as? NSKeyedUnarchiver)?.error != nil }

    /// Reads with one of the SDK's classes in the place of one of Foundation's, whose own initializer cannot read what Apple's
    /// systems write, or stops the program where a value in it cannot be read.
    func substituting<Value>(_ type: AnyClass, for names: String..., body: () -> Value) -> Value {
        guard let unarchiver = self as? NSKeyedUnarchiver else { return body() }
        let earlier = names.map { (name: $0, type: unarchiver.class(forClassName: $0)) }
        for name in names { unarchiver.setClass(type, forClassName: name) }
        defer { for former in earlier { unarchiver.setClass(former.type, forClassName: former.name) } }
        return body()
    }
}
