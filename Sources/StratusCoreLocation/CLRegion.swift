import StratusCloudModel

/// An area with a name. Nothing here watches whether one enters it.
open class CLRegion: NSObject, NSCopying {
    /// The name; regions with the same name are equal.
    public let identifier: String
    /// Whether a program wants to know of entries.
    open var notifyOnEntry = true
    /// Whether a program wants to know of exits.
    open var notifyOnExit = true

    init(identifier: String) {
        self.identifier = identifier
        super.init()
    }

    /// A region of the same name, place and wishes.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLRegion(identifier: identifier)
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        return copy
    }

    /// Whether the other is a region with the same name.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }

    /// Goes with ``isEqual(_:)``.
    open override var hash: Int { identifier.hashValue }

    /// The name.
    open override var description: String { "CLRegion \(identifier)" }
}

/// A circle on earth with a name.
open class CLCircularRegion: CLRegion {
    /// The middle.
    public let center: CLLocationCoordinate2D
    /// Metres.
    public let radius: CLLocationDistance

    /// Makes a circle.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.center = center
        self.radius = radius
        super.init(identifier: identifier)
    }

    /// Whether a place is at most ``radius`` from the middle, along the ellipsoid.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        Geodesic.distance(center.latitude, center.longitude, coordinate.latitude, coordinate.longitude) <= radius
    }

    /// A circle of the same name, place and wishes.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLCircularRegion(center: center, radius: radius, identifier: identifier)
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        return copy
    }

    /// The name, the middle and the radius.
    open override var description: String {
        String(
            format: "CLCircularRegion (identifier:'%@', center:<%+.8f,%+.8f>, radius:%.2fm)", identifier,
            center.latitude, center.longitude, radius)
    }
}
