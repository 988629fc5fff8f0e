import Foundation
import StratusCoreLocation

/// Sorts by the distance from a place, the nearest first; altitude does not count.
public final class CKLocationSortDescriptor: NSSortDescriptor {
    /// The field, which must hold a location.
    let fieldKey: String
    /// The place to measure from.
    public let relativeLocation: CLLocation

    /// Stands in for the key path that Foundation's class wants.
    private struct Place {
        var distance: Double
    }

    /// Sorts by the distance of a field from a place.
    public init(key: String, relativeLocation: CLLocation) {
        fieldKey = key
        self.relativeLocation = relativeLocation
        super.init(keyPath: \Place.distance, ascending: true)
    }

    /// Which of two records is nearer; those without a place come last.
    public override func compare(_ first: Any, to second: Any) -> ComparisonResult {
        func distance(_ object: Any) -> Double {
            ((object as? CKRecord)?.object(forKey: fieldKey) as? CLLocation)?.distance(from: relativeLocation)
                ?? .infinity
        }
        let (left, right) = (distance(first), distance(second))
        return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    }

    /// The same object: it never changes.
    public override func copy(with zone: NSZone? = nil) -> Any { self }
}
