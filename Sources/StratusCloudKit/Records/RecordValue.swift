import Foundation
import StratusCoreLocation

/// The value of a field as a record keeps it: an object of Foundation, or a place, reference or asset.
///
/// Numbers are always `NSNumber`, because a Swift `Int64` in an existential is no `Int`, while an `NSNumber` is each number
/// type that holds it.
///
/// `@unchecked Sendable`: texts, data and arrays are copied when they come in, so nobody else holds one that can change;
/// the other classes are immutable, or guard themselves.
struct RecordValue: @unchecked Sendable {
    let object: NSObject

    /// What callers get.
    var value: any __CKRecordObjCValue {
        // Every class that `init` lets in conforms.
        object as? any __CKRecordObjCValue ?? (object.description as NSString)
    }

    /// Takes a value of any type that fields can hold; nil for others.
    init?(_ value: Any) {
        guard let object = Self.object(value) else { return nil }
        self.object = object
    }

    private static func object(_ value: Any) -> NSObject? {
        switch value {
        case let value as NSObject: immutable(value)
        case let value as String: value as NSString
        case let value as Bool: NSNumber(value: value)
        case let value as Double: NSNumber(value: value)
        case let value as Float: NSNumber(value: value)
        case let value as Date: value as NSDate
        case let value as Data: value as NSData
        case let value as any BinaryInteger: integer(value)
        case let value as [Any]: array(value)
        default: nil
        }
    }

    private static func integer(_ value: any BinaryInteger) -> NSObject? {
        if let number = Int64(exactly: value) { return NSNumber(value: number) }
        return UInt64(exactly: value).map { NSNumber(value: $0) }
    }

    private static func immutable(_ object: NSObject) -> NSObject? {
        switch object {
        case let text as NSString: type(of: text) == NSString.self ? text : String(describing: text) as NSString
        case let data as NSData: Data(referencing: data) as NSData
        case let list as NSArray: array(list.map { $0 })
        case is NSNumber, is NSDate, is CLLocation, is CKRecordReference, is CKAsset: object
        default: nil
        }
    }

    private static func array(_ members: [Any]) -> NSObject? {
        var objects: [NSObject] = []
        objects.reserveCapacity(members.count)
        for member in members {
            guard let object = object(member), !(object is NSArray) else { return nil }
            objects.append(object)
        }
        return NSArray(array: objects)
    }
}

extension RecordValue {
    /// The value as a type that a caller asked for; nil where it is none of it.
    func cast<Value>(to type: Value.Type) -> Value? {
        if let value = object as? Value { return value }
        guard let number = object as? NSNumber else { return nil }
        // What `as?` refuses, because the number is not the same afterwards.
        if type == Float.self { return number.floatValue as? Value }
        if type == Bool.self { return number.boolValue as? Value }
        return nil
    }
}
