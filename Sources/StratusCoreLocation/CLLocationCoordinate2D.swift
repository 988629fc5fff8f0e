/// A place as latitude and longitude, WGS 84.
///
/// Like Apple's it is not `Equatable`, so that a program's own conformance is the only one.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees, north is positive: -90 to 90.
    public var latitude: CLLocationDegrees
    /// Degrees, east is positive: -180 to 180.
    public var longitude: CLLocationDegrees

    /// The place at 0, 0.
    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    /// Makes a coordinate of any two numbers; ``CLLocationCoordinate2DIsValid(_:)`` tells whether it is on earth.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A coordinate that is not valid.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

// Apple's name.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Makes a coordinate.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

// Apple's name.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the latitude lies in -90 to 90 and the longitude in -180 to 180.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
    abs(coordinate.latitude) <= 90 && abs(coordinate.longitude) <= 180
}
