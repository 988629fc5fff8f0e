import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct GeoTests {
    @Test func cellsAreNearTheirPlaces() {
        let seed = Seed.draw()
        print("GeoTests seed: \(seed)")
        var random = RandomRecords(generator: SeededRandom(seed: seed))
        for _ in 0..<2_000 {
            let place = random.location()
            let middle = Cell(place).center
            #expect(
                Geodesic.distance(place.latitude, place.longitude, middle.latitude, middle.longitude) < 0.01,
                "\(place)")
        }
    }

    @Test func coversHoldEveryPlaceInTheRing() {
        let seed = Seed.draw()
        print("GeoTests seed: \(seed)")
        var random = RandomRecords(generator: SeededRandom(seed: seed))
        for _ in 0..<1_000 {
            let center = random.location()
            let outer = random.pick([0, 0.5, 10, 1_000, 50_000, 2_000_000, 12_000_000, 20_040_000])
            let inner = random.generator.chance(50) ? 0 : outer * .random(in: 0...1, using: &random.generator)
            let ranges = CellCover(center: center, inner: inner, outer: outer).ranges
            #expect(ranges.count <= (inner > 0 ? QueryLimits.rangesPerRing : QueryLimits.rangesPerCircle))
            for (left, right) in zip(ranges, ranges.dropFirst()) { #expect(left.upperBound < right.lowerBound) }
            for _ in 0..<40 {
                let place = random.generator.chance(50) ? random.location() : near(center, outer, &random)
                let distance = Geodesic.distance(center, place)
                guard distance >= inner, distance <= outer else { continue }
                let cell = Cell(place).rawValue
                #expect(ranges.contains { $0.contains(cell) }, "\(place) from \(center) in \(inner)...\(outer)")
            }
        }
    }

    @Test func coversAreNarrow() {
        let berlin = Location(latitude: 52.52, longitude: 13.405)
        for radius in [100.0, 10_000, 500_000] {
            let cells = CellCover(center: berlin, outer: radius).ranges
            let size = cells.reduce(0.0) { $0 + Double($1.upperBound - $1.lowerBound) } / 0x1p64
            // The cells' share of the square of degrees, against the circle's.
            let degrees = radius / 111_000
            let circle = Double.pi * degrees * degrees / 0.608 / (180 * 360)
            #expect(size < 3 * circle, "\(radius): \(size / circle)")
        }
    }

    /// Exported schemas say `SORTABLE` of places: of their order by distance.
    @Test func aSortablePlaceIsSortedByDistance() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.service.importSchema(
            "DEFINE SCHEMA RECORD TYPE Walk (\"___recordID\" REFERENCE QUERYABLE, place LOCATION SORTABLE);",
            to: cloud.context)
        #expect(try await cloud.service.schemaText(of: cloud.context).contains("LOCATION SORTABLE"))
        for (name, latitude) in [("far", 50.0), ("near", 11), ("nearer", 10.5)] {
            let place = InputValue.scalar(.location(Location(latitude: latitude, longitude: 5)))
            #expect(try await cloud.modify([.make(.create, name, type: "Walk", ["place": place])]).first?.saved != nil)
        }
        func names(_ filters: [Filter], _ sorts: [Sort]) async throws -> [String] {
            let request = QueryRecordsRequest(query: Query(recordType: "Walk", filters: filters, sorts: sorts))
            return try await cloud.service.queryRecords(request, in: .private, as: cloud.user()).records.map(
                \.recordName)
        }
        let here = Location(latitude: 10, longitude: 5)
        #expect(try await names([], [Sort(.named("place"), relativeLocation: here)]) == ["nearer", "near", "far"])
        // Asking for those within a distance takes QUERYABLE.
        let within = Filter(.near, .named("place"), FieldInput(.scalar(.location(here))), distance: 200_000)
        let refused = await #expect(throws: CloudError.self) { try await names([within], []) }
        #expect(refused?.reason.contains("queryable") == true)
    }

    private func near(_ center: Location, _ radius: Double, _ random: inout RandomRecords) -> Location {
        let degrees = radius / 100_000
        let latitude = center.latitude + .random(in: -degrees...degrees, using: &random.generator)
        let longitude = center.longitude + .random(in: -degrees...degrees, using: &random.generator)
        return Location(
            latitude: min(max(latitude, -90), 90),
            longitude: longitude > 180
                ? max(longitude - 360, -180) : longitude < -180 ? min(longitude + 360, 180) : longitude)
    }
}
