import Foundation
import StratusCUbiquity

// `URLResourceValues` on Linux has the properties of items in iCloud and of backups, but Foundation gives and takes no
// values for them, and its methods cannot be declared once more: calls would be ambiguous. They reach two methods of
// NSURL, which can be overridden by subclasses and so are called through the table of the class. `ResourceValueMethods`
// puts those below in their places when the program is loaded, so that programs work unchanged.

extension NSURL {
    /// Foundation's method.
    @_silgen_name("$s10Foundation5NSURLC14resourceValues7forKeysSDyAA14URLResourceKeyVypGSayAGG_tKF")
    private final func foundationResourceValues(forKeys keys: [URLResourceKey]) throws -> [URLResourceKey: Any]

    /// Foundation's method.
    @_silgen_name("$s10Foundation5NSURLC17setResourceValuesyySDyAA14URLResourceKeyVypGKF")
    private final func foundationSetResourceValues(_ keyedValues: [URLResourceKey: Any]) throws

    /// Adds the values that Foundation lacks to those that it has.
    @_silgen_name("stratus_url_resource_values")
    public final func _stratusResourceValues(forKeys keys: [URLResourceKey]) throws -> [URLResourceKey: Any] {
        guard let path, isFileURL, keys.contains(where: FurtherResourceValues.keys.contains) else {
            return try foundationResourceValues(forKeys: keys)
        }
        let own = keys.filter(FurtherResourceValues.keys.contains)
        var values = try foundationResourceValues(forKeys: keys.filter { !FurtherResourceValues.keys.contains($0) })
        for key in own { values[key] = try FurtherResourceValues.value(of: key, at: path) }
        return values
    }

    /// Sets the values that Foundation ignores, and then the others.
    @_silgen_name("stratus_url_set_resource_values")
    public final func _stratusSetResourceValues(_ keyedValues: [URLResourceKey: Any]) throws {
        var others = keyedValues
        if let path, isFileURL {
            for (key, value) in keyedValues where FurtherResourceValues.settableKeys.contains(key) {
                try FurtherResourceValues.set(key, to: value, at: path)
                others[key] = nil
            }
        }
        if !others.isEmpty { try foundationSetResourceValues(others) }
    }
}

/// Puts methods in the places of Foundation's.
enum ResourceValueMethods {
    /// Whether both methods were found. If a later Foundation has them elsewhere, nothing is changed, and the values
    /// are nil as they are without this module.
    static let areReplaced: Bool = {
        let replacements = [
            (stratus_foundation_resource_values(), stratus_replacing_resource_values()),
            (stratus_foundation_set_resource_values(), stratus_replacing_set_resource_values()),
        ]
        let slots = replacements.map { slot(of: $0.0) }
        guard slots.allSatisfy({ $0 != nil }) else { return false }
        for (slot, (_, new)) in zip(slots, replacements) { slot?.pointee = new }
        return true
    }()

    /// Returns the place of a method in the class's table.
    ///
    /// The bytes that a class's description has before and behind the address that stands for it are at the offsets 32
    /// and 36. The description is in memory that may be written, as Swift fills part of it in when it loads a class.
    private static func slot(of method: UnsafeRawPointer?) -> UnsafeMutablePointer<UnsafeRawPointer?>? {
        guard let method else { return nil }
        let table = unsafeBitCast(NSURL.self as AnyClass, to: UnsafeMutableRawPointer.self)
        let size = Int(table.load(fromByteOffset: 32, as: UInt32.self))
        let before = Int(table.load(fromByteOffset: 36, as: UInt32.self))
        guard (8...64).contains(before), (64...1 << 16).contains(size) else { return nil }
        let words = table.assumingMemoryBound(to: UnsafeRawPointer?.self)
        return (0..<(size - before) / 8).first { words[$0] == method }.map { words + $0 }
    }
}

@_cdecl("stratus_register_resource_values")
func registerResourceValues() { _ = ResourceValueMethods.areReplaced }
