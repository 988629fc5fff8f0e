import StratusCloudModel
import Testing

@Suite struct GeodesicTests {
    /// Published geodesics of the WGS 84 ellipsoid.
    @Test(arguments: [
        // A degree of longitude on the equator, a quarter meridian, Flinders Peak to Buninyong (scaled to WGS 84).
        (0.0, 0.0, 0.0, 1.0, 111_319.491), (0, 0, 90, 0, 10_001_965.729), (0, 0, 1, 0, 110_574.389),
        (-37.951033416667, 144.424867888889, -37.652821138889, 143.926495527778, 54_972.271),
        (0, 179.5, 0, -179.5, 111_319.491), (90, 0, 90, 120, 0), (52.52, 13.405, 52.52, 13.405, 0),
    ])
    func distancesAreExact(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ metres: Double) {
        #expect(abs(Geodesic.distance(a, b, c, d) - metres) < 0.01)
        #expect(abs(Geodesic.distance(c, d, a, b) - metres) < 0.01)
    }

    @Test func oppositePlacesHaveADistance() {
        for (latitude, longitude) in [(0.0, 0.0), (30, 50), (-89, 170)] {
            let distance = Geodesic.distance(latitude, longitude, -latitude, longitude + 180)
            #expect(distance > 19_900_000 && distance < ModelLimits.greatestDistance)
        }
    }
}
