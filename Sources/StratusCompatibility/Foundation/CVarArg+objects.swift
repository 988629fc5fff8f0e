import Foundation

// On Linux only numbers, texts and booleans can be arguments of a format. These make every object one, and the values
// that are objects on Apple's platforms. `NSPredicate(format:)` gets the values themselves; `String(format:)` asks for
// `_cVarArgObject` and keeps that alive while it formats, so `%@` prints the description, as on Apple's platforms.

extension NSObject: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The text that `%@` prints.
    public var _cVarArgObject: any CVarArg { self is NSString ? self : NSString(string: description) }

    /// The address of the object.
    public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}

/// A value that is an object on Apple's platforms.
public protocol ObjectArgument: CVarArg, _CVarArgObject {
    /// Its description there.
    var argumentDescription: String { get }
}

extension ObjectArgument {
    /// The text that `%@` prints.
    public var _cVarArgObject: any CVarArg { NSString(string: argumentDescription) }

    /// Of no use alone, as nothing keeps the object alive that it would be the address of; the standard library asks for
    /// `_cVarArgObject` instead.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// As `NSDate` describes it.
    public var argumentDescription: String { description }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// As `NSUUID` describes it.
    public var argumentDescription: String { uuidString }
}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// As `NSData` describes it.
    public var argumentDescription: String { (self as NSData).description }
}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// As `NSURL` describes it.
    public var argumentDescription: String { description }
}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// As `NSDecimalNumber` describes it.
    public var argumentDescription: String { description }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// Its members.
    public var argumentDescription: String { String(describing: self) }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// Its members.
    public var argumentDescription: String { String(describing: self) }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {
    /// Its members.
    public var argumentDescription: String { String(describing: self) }
}
