/// What a `CLLocation` holds, comparable and archivable.
struct LocationValues: Hashable {
    var latitude: Double
    var longitude: Double
    var altitude: Double
    var horizontalAccuracy: Double
    var verticalAccuracy: Double
    var course: Double
    var courseAccuracy: Double
    var speed: Double
    var speedAccuracy: Double
    var timestamp: Date
    var floor: CLFloor?
    var sourceInformation: CLLocationSourceInformation?

    var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }

    init(
        coordinate: CLLocationCoordinate2D, altitude: Double, horizontalAccuracy: Double, verticalAccuracy: Double,
        course: Double, courseAccuracy: Double, speed: Double, speedAccuracy: Double, timestamp: Date,
        floor: CLFloor? = nil, sourceInformation: CLLocationSourceInformation? = nil
    ) {
        latitude = coordinate.latitude
        longitude = coordinate.longitude
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.timestamp = timestamp
        self.floor = floor
        self.sourceInformation = sourceInformation
    }
}

extension LocationValues {
    /// The keys that Apple's archives use, as seen in many; they also hold further ones that nothing here has.
    private enum Key {
        static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
        static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
        static let altitude = "kCLLocationCodingKeyAltitude"
        static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
        static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
        static let course = "kCLLocationCodingKeyCourse"
        static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
        static let speed = "kCLLocationCodingKeySpeed"
        static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
        static let timestamp = "kCLLocationCodingKeyTimestamp"
        static let floor = "kCLLocationCodingKeyFloor"
        static let bySoftware = "kCLLocationCodingKeyFromSoftwareSimulator"
        static let byAccessory = "kCLLocationCodingKeyFromExternalAccessory"
    }

    /// Apple's mark of an unknown floor.
    private static let noFloor = Int(Int32.max)

    /// nil if there are no coordinates.
    init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.latitude), coder.containsValue(forKey: Key.longitude) else { return nil }
        func number(_ key: String, otherwise missing: Double = -1) -> Double {
            coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : missing
        }
        let floor = coder.containsValue(forKey: Key.floor) ? coder.decodeInteger(forKey: Key.floor) : Self.noFloor
        let hasSource = coder.containsValue(forKey: Key.bySoftware) || coder.containsValue(forKey: Key.byAccessory)
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: number(Key.latitude), longitude: number(Key.longitude)),
            altitude: number(Key.altitude, otherwise: 0),
            horizontalAccuracy: number(Key.horizontalAccuracy, otherwise: 0),
            verticalAccuracy: number(Key.verticalAccuracy), course: number(Key.course),
            courseAccuracy: number(Key.courseAccuracy), speed: number(Key.speed),
            speedAccuracy: number(Key.speedAccuracy),
            timestamp: Date(timeIntervalSinceReferenceDate: number(Key.timestamp, otherwise: 0)),
            floor: floor == Self.noFloor ? nil : CLFloor(level: floor),
            sourceInformation: hasSource
                ? CLLocationSourceInformation(
                    softwareSimulationState: coder.decodeBool(forKey: Key.bySoftware),
                    andExternalAccessoryState: coder.decodeBool(forKey: Key.byAccessory)) : nil)
    }

    func encode(with coder: NSCoder) {
        coder.encode(latitude, forKey: Key.latitude)
        coder.encode(longitude, forKey: Key.longitude)
        coder.encode(altitude, forKey: Key.altitude)
        coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
        coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
        coder.encode(course, forKey: Key.course)
        coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
        coder.encode(speed, forKey: Key.speed)
        coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
        coder.encode(floor?.level ?? Self.noFloor, forKey: Key.floor)
        if let sourceInformation {
            coder.encode(sourceInformation.isSimulatedBySoftware, forKey: Key.bySoftware)
            coder.encode(sourceInformation.isProducedByAccessory, forKey: Key.byAccessory)
        }
    }
}
