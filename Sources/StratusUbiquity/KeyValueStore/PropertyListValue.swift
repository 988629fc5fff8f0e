import Foundation

/// Values of a key-value store: property lists, as bytes.
enum PropertyListValue {
    /// A binary property list.
    /// - Returns: nil for what is no property list.
    static func data(of value: Any) -> Data? {
        guard let plain = plain(value, depth: 0) else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0)
    }

    /// The value of a property list: strings, `NSNumber`, `Date`, `Data`, and arrays and dictionaries of these.
    /// - Returns: nil for bytes that are no property list.
    static func value(of data: Data) -> Any? {
        guard let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil) else {
            return nil
        }
        return plain(list, depth: 0)
    }

    /// Collections inside each other that a value may have.
    static let depth = 256

    /// A value in the types that every reader expects; nil if something in it is of none of them.
    private static func plain(_ value: Any, depth: Int) -> Any? {
        guard depth <= Self.depth else { return nil }
        switch value {
        case let number as NSNumber: return number
        case let text as String: return text
        case let date as Date: return date
        case let data as Data: return data
        case let array as [Any]:
            var plainArray: [Any] = []
            for element in array {
                guard let element = plain(element, depth: depth + 1) else { return nil }
                plainArray.append(element)
            }
            return plainArray
        case let dictionary as [AnyHashable: Any]:
            var plainDictionary: [String: Any] = [:]
            for (key, element) in dictionary {
                guard let key = key.base as? String ?? (key.base as? NSString).map({ $0 as String }),
                    let element = plain(element, depth: depth + 1)
                else { return nil }
                plainDictionary[key] = element
            }
            return plainDictionary
        default: return plainNumber(value)
        }
    }

    private static func plainNumber(_ value: Any) -> NSNumber? {
        switch value {
        case let value as Bool: NSNumber(value: value)
        case let value as Int: NSNumber(value: value)
        case let value as Int8: NSNumber(value: value)
        case let value as Int16: NSNumber(value: value)
        case let value as Int32: NSNumber(value: value)
        case let value as Int64: NSNumber(value: value)
        case let value as UInt: NSNumber(value: value)
        case let value as UInt8: NSNumber(value: value)
        case let value as UInt16: NSNumber(value: value)
        case let value as UInt32: NSNumber(value: value)
        case let value as UInt64: NSNumber(value: value)
        case let value as Float: NSNumber(value: value)
        case let value as Double: NSNumber(value: value)
        default: nil
        }
    }
}
