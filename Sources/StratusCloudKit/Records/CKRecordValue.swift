import Foundation
import StratusCoreLocation

/// What a field of a record can hold, in Swift's own terms: texts, numbers, dates, data, places, references, assets,
/// and arrays of these.
public protocol CKRecordValueProtocol {}

/// What a field of a record can hold. Its Swift name is ``CKRecordValue``.
///
/// On Apple's systems only classes conform; here Swift's types do too, so that `as? String` of a field's value is a cast
/// that the compiler believes in. Records keep Foundation's objects all the same.
public protocol __CKRecordObjCValue: CKRecordValueProtocol {}

/// What a field of a record can hold.
public typealias CKRecordValue = __CKRecordObjCValue

extension __CKRecordObjCValue {
    /// Whether the value equals another object.
    public func isEqual(_ object: Any?) -> Bool { RecordValue(self)?.object.isEqual(object) ?? false }
    /// For logs.
    public var description: String { String(describing: self) }
}

extension NSString: __CKRecordObjCValue {}
extension NSNumber: __CKRecordObjCValue {}
extension NSDate: __CKRecordObjCValue {}
extension NSData: __CKRecordObjCValue {}
extension NSArray: __CKRecordObjCValue {}
extension CLLocation: __CKRecordObjCValue {}
extension CKRecordReference: __CKRecordObjCValue {}
extension CKAsset: __CKRecordObjCValue {}

extension String: __CKRecordObjCValue {}
extension Bool: __CKRecordObjCValue {}
extension Int: __CKRecordObjCValue {}
extension Int8: __CKRecordObjCValue {}
extension Int16: __CKRecordObjCValue {}
extension Int32: __CKRecordObjCValue {}
extension Int64: __CKRecordObjCValue {}
extension UInt: __CKRecordObjCValue {}
extension UInt8: __CKRecordObjCValue {}
extension UInt16: __CKRecordObjCValue {}
extension UInt32: __CKRecordObjCValue {}
extension UInt64: __CKRecordObjCValue {}
extension Float: __CKRecordObjCValue {}
extension Double: __CKRecordObjCValue {}
extension Date: __CKRecordObjCValue {}
extension Data: __CKRecordObjCValue {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension Array: __CKRecordObjCValue where Element: CKRecordValueProtocol {}
