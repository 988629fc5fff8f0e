import CoreLocation
import Testing

@Suite struct CLLocationTests {
    private let full = CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405), altitude: 34, horizontalAccuracy: 5,
        verticalAccuracy: 3, course: 90, courseAccuracy: 1, speed: 2, speedAccuracy: 0.5,
        timestamp: Date(timeIntervalSinceReferenceDate: 0.1),
        sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false))

    @Test func missingValuesAreApples() {
        let place = CLLocation(latitude: 1, longitude: 2)
        #expect(place.coordinate.latitude == 1 && place.coordinate.longitude == 2)
        #expect(place.altitude == 0 && place.ellipsoidalAltitude == 0)
        #expect(place.horizontalAccuracy == 0 && place.verticalAccuracy == -1)
        #expect(place.course == -1 && place.courseAccuracy == -1 && place.speed == -1 && place.speedAccuracy == -1)
        #expect(place.floor == nil && place.sourceInformation == nil)
        #expect(abs(place.timestamp.timeIntervalSinceNow) < 60)
        let moved = CLLocation(
            coordinate: place.coordinate, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4, speed: 5,
            timestamp: .distantPast)
        #expect(moved.course == 4 && moved.speed == 5 && moved.courseAccuracy == -1 && moved.timestamp == .distantPast)
    }

    /// Published geodesics of the WGS 84 ellipsoid.
    @Test(arguments: [
        (0.0, 0.0, 0.0, 1.0, 111_319.491), (0, 0, 90, 0, 10_001_965.729),
        (-37.951033416667, 144.424867888889, -37.652821138889, 143.926495527778, 54_972.271),
        (0, 179.5, 0, -179.5, 111_319.491),
    ])
    func distances(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ metres: Double) {
        let (from, to) = (CLLocation(latitude: a, longitude: b), CLLocation(latitude: c, longitude: d))
        #expect(abs(from.distance(from: to) - metres) < 0.01)
        #expect(
            from.distance(from: to) == to.distance(from: from)
                || abs(from.distance(from: to) - to.distance(from: from)) < 1e-6)
        #expect(from.distance(from: from) == 0)
    }

    @Test func equalityIsByValue() {
        let copy = full.copy() as? CLLocation
        #expect(copy == full)
        let one = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: 0, horizontalAccuracy: 0,
            verticalAccuracy: 0, timestamp: .distantPast)
        let same = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: 0, horizontalAccuracy: 0,
            verticalAccuracy: 0, timestamp: .distantPast)
        #expect(one == same && one.hash == same.hash)
        #expect(Set([one, same, full]).count == 2)
        #expect(one != full)
    }

    @Test func archivesKeepEveryBit() throws {
        for location in [full, CLLocation(latitude: 0.1, longitude: -179.999_999_999)] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: location, requiringSecureCoding: true)
            let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data)
            #expect(again == location)
            #expect(
                again?.timestamp.timeIntervalSinceReferenceDate.bitPattern
                    == location.timestamp.timeIntervalSinceReferenceDate.bitPattern)
        }
    }

    /// An archive as Apple's classes write it, with keys that nothing here knows.
    @Test func appleArchivesAreRead() throws {
        CLLocation.registerAppleArchiveNames()
        let object: [String: Any] = [
            "kCLLocationCodingKeyCoordinateLatitude": 48.85, "kCLLocationCodingKeyCoordinateLongitude": 2.35,
            "kCLLocationCodingKeyAltitude": 35.0, "kCLLocationCodingKeyHorizontalAccuracy": 65.0,
            "kCLLocationCodingKeyVerticalAccuracy": 10.0, "kCLLocationCodingKeySpeed": -1.0,
            "kCLLocationCodingKeyCourse": -1.0,
            "kCLLocationCodingKeyTimestamp": 700_000_000.5, "kCLLocationCodingKeyFloor": 3,
            "kCLLocationCodingKeyLifespan": 10.0,
            "kCLLocationCodingKeyType": 4, "$class": Self.uid(2),
        ]
        let archive: [String: Any] = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": Self.uid(1)],
            "$objects": ["$null", object, ["$classname": "CLLocation", "$classes": ["CLLocation", "NSObject"]]],
        ]
        let xml = try PropertyListSerialization.data(fromPropertyList: archive, format: .xml, options: 0)
        let location = try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: xml)
        #expect(location?.coordinate.latitude == 48.85)
        #expect(location?.floor?.level == 3)
        #expect(location?.timestamp == Date(timeIntervalSinceReferenceDate: 700_000_000.5))
        #expect(location?.courseAccuracy == -1)
        #expect(location?.sourceInformation == nil)
    }

    /// As XML property lists write a reference of an archive.
    private static func uid(_ number: Int) -> [String: Int] { ["CF$UID": number] }

    @Test func archivesWithoutCoordinatesAreRefused() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(5.0, forKey: "kCLLocationCodingKeyAltitude")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(CLLocation(coder: unarchiver) == nil)
        #expect(CLFloor(coder: unarchiver) == nil)
    }

    @Test func descriptionsAreApples() {
        #expect(
            full.description.hasPrefix(
                "<+52.52000000,+13.40500000> +/- 5.00m (speed 2.00 mps / course 90.00) @ 2001-01-01"))
    }

    @Test func coordinates() {
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(90, -180)))
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 90.001, longitude: 0)))
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 0, longitude: .nan)))
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(CLLocationCoordinate2D().latitude == 0)
    }

    @Test func circlesContainPlaces() {
        let circle = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 0, longitude: 0), radius: 111_320, identifier: "c")
        #expect(circle.contains(CLLocationCoordinate2D(latitude: 0, longitude: 1)))
        #expect(!circle.contains(CLLocationCoordinate2D(latitude: 0, longitude: 1.001)))
        #expect(circle == CLCircularRegion(center: circle.center, radius: 1, identifier: "c"))
        circle.notifyOnExit = false
        let copy = circle.copy() as? CLCircularRegion
        #expect(copy?.radius == 111_320 && copy?.notifyOnExit == false && copy?.notifyOnEntry == true)
    }
}
