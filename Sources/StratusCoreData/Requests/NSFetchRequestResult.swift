import Foundation

/// An object that a fetch returns: a managed object, its ID, a dictionary or a number.
///
/// Apple requires this protocol of the type parameter of ``NSFetchRequest``. Here the parameter has no requirement,
/// because without Objective-C a protocol type does not conform to the protocol itself, and
/// `NSFetchRequest<NSFetchRequestResult>` would not compile.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The kinds of results of a fetch, one for each object that it finds.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
    /// The number of the kind, which is Apple's.
    public let rawValue: UInt

    /// Takes the number of a kind.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects.
    public static let managedObjectResultType: NSFetchRequestResultType = []
    /// The IDs of the objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries with the values of some properties.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// One number, which is how many objects there are.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
