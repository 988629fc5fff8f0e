import CoreData

/// A place on the map: the value of a transformable attribute. Public, as the generated classes are.
public final class Place: NSObject, NSSecureCoding, Sendable {
    /// Required for values of transformable attributes.
    public static let supportsSecureCoding = true

    package let latitude: Double
    package let longitude: Double

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Reads a place from an archive.
    public init?(coder: NSCoder) {
        latitude = coder.decodeDouble(forKey: "latitude")
        longitude = coder.decodeDouble(forKey: "longitude")
    }

    /// Writes the place to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(latitude, forKey: "latitude")
        coder.encode(longitude, forKey: "longitude")
    }

    /// The degrees.
    public override var description: String { String(format: "%.2f, %.2f", latitude, longitude) }
}
