import Foundation
import StratusCompatibility
import StratusCoreLocation

/// Sorts by the distance from a place, the nearest first; altitude does not count.
public final class CKLocationSortDescriptor: KeySortDescriptor, NSSecureCoding {
    /// The place to measure from.
    public let relativeLocation: CLLocation

    /// Sorts by the distance of a field, which must hold a location, from a place.
    public init(key: String, relativeLocation: CLLocation) {
        self.relativeLocation = relativeLocation
        super.init(key: key, ascending: true, comparator: nil)
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        guard let key = coder.decoded(NSString.self, "Key") as String?,
            let place = coder.decoded(CLLocation.self, "RelativeLocation")
        else { return nil }
        self.init(key: key, relativeLocation: place)
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(keyName as NSString?, forKey: "Key")
        coder.encode(relativeLocation, forKey: "RelativeLocation")
    }

    /// Compares distances; what is no place is further away than any.
    public override var comparator: Comparator {
        { [relativeLocation] first, second in
            let (left, right) = (relativeLocation.distance(to: first), relativeLocation.distance(to: second))
            return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
        }
    }

    /// Sorts the furthest first, records that are here; a query cannot.
    public override var reversedSortDescriptor: Any {
        KeySortDescriptor(key: keyName, ascending: false, comparator: comparator)
    }

    /// The same object: it never changes.
    public override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other measures the same field from the same place.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKLocationSortDescriptor else { return false }
        return keyName == other.keyName && relativeLocation == other.relativeLocation
    }

    /// For logs.
    public override var description: String { "(\(keyName ?? "self"), distance from \(relativeLocation.coordinate))" }
}

extension CLLocation {
    /// Metres to what a key gave; what is no place is further away than any.
    fileprivate func distance(to value: Any) -> Double { (value as? CLLocation)?.distance(from: self) ?? .infinity }
}
