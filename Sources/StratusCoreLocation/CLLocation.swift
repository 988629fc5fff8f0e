import StratusCloudModel

// Every stored property is immutable and of a Sendable type; only the superclass keeps the compiler from seeing it.
// Subclasses promise the same.
/// A place on earth with what is known of how exact it is, how one moved there, and when.
///
/// Unlike Apple's, two locations are equal when all their values are (``isEqual(_:)``).
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Latitude and longitude.
    public let coordinate: CLLocationCoordinate2D
    /// Metres above mean sea level; of no meaning while ``verticalAccuracy`` is not positive.
    public let altitude: CLLocationDistance
    /// Metres above the WGS 84 ellipsoid. Equals ``altitude``: there is no model of the geoid here.
    public var ellipsoidalAltitude: CLLocationDistance { altitude }
    /// Metres; negative means that the coordinate is not valid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// Metres; not positive means that the altitude is not valid.
    public let verticalAccuracy: CLLocationAccuracy
    /// Degrees clockwise from true north; negative means unknown.
    public let course: CLLocationDirection
    /// Degrees; negative means unknown.
    public let courseAccuracy: CLLocationDirectionAccuracy
    /// Metres a second; negative means unknown.
    public let speed: CLLocationSpeed
    /// Metres a second; negative means unknown.
    public let speedAccuracy: CLLocationSpeedAccuracy
    /// When one was there.
    public let timestamp: Date
    /// The floor of the building; nil if unknown. Only archives have one.
    public let floor: CLFloor?
    /// Where the location comes from, if that is known.
    public let sourceInformation: CLLocationSourceInformation?

    /// A place without accuracy, movement or altitude, now.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// A place with accuracy, without movement.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// A place with accuracy and movement.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1,
            timestamp: timestamp)
    }

    /// A place with accuracy and movement and how exact that is.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        self.init(
            LocationValues(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp))
    }

    /// A place with accuracy, movement, how exact that is, and its source.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date, sourceInfo: CLLocationSourceInformation
    ) {
        self.init(
            LocationValues(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp, sourceInformation: sourceInfo))
    }

    init(_ values: LocationValues) {
        coordinate = values.coordinate
        altitude = values.altitude
        horizontalAccuracy = values.horizontalAccuracy
        verticalAccuracy = values.verticalAccuracy
        course = values.course
        courseAccuracy = values.courseAccuracy
        speed = values.speed
        speedAccuracy = values.speedAccuracy
        timestamp = values.timestamp
        floor = values.floor
        sourceInformation = values.sourceInformation
        super.init()
    }

    /// Reads an archive, Apple's or ours; see ``CLLocation/registerAppleArchiveNames()``.
    public required convenience init?(coder: NSCoder) {
        guard let values = LocationValues(coder: coder) else { return nil }
        self.init(values)
    }

    /// Writes the archive under Apple's keys.
    open func encode(with coder: NSCoder) {
        values.encode(with: coder)
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Apple's name of the class, by which archives are read that name the class with its module.
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CLLocation"] }

    /// The location itself, as it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Metres along the WGS 84 ellipsoid; altitudes do not count. Not a number if a coordinate is not.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        Geodesic.distance(
            coordinate.latitude, coordinate.longitude, location.coordinate.latitude, location.coordinate.longitude)
    }

    /// Whether the other is a location with the same values throughout.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLLocation else { return false }
        return self === other || values == other.values
    }

    /// Goes with ``isEqual(_:)``.
    open override var hash: Int { values.hashValue }

    /// As Apple's: `<+37.33,-122.03> +/- 5.00m (speed -1.00 mps / course -1.00) @ …`.
    open override var description: String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f)", coordinate.latitude,
            coordinate.longitude, horizontalAccuracy, speed, course)
        return "\(place) @ \(timestamp)"
    }

    var values: LocationValues {
        LocationValues(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
            speedAccuracy: speedAccuracy, timestamp: timestamp, floor: floor, sourceInformation: sourceInformation)
    }
}
