import StratusCloudCrypto
import StratusCloudModel
import StratusTestSupport
import Testing

/// Continuation markers that the server did not give, or gave for something else (threat 34).
@Suite("Continuation markers")
struct MarkerTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Markers")
        database = tenant.privateDatabase
    }

    /// A type with five records, and the marker after the first of them.
    private func start(
        in database: Database, type: String, sorts: [JSON] = [], zone: String? = nil
    ) async throws -> String {
        let changes = (0..<5).map {
            Change.create(type, Unique.name("r"), Fields.untyped(["n": .int($0), "owner": "text"]))
        }
        expectSaved(try await database.modify(changes, zone: zone), count: 5)
        let page = try await database.query(type, sorts: sorts, zone: zone, ["resultsLimit": 1])
        return try #require(page.json["continuationMarker"].string)
    }

    private func expectRefusedMarker(
        _ answer: Answer, at location: SourceLocation = #_sourceLocation
    ) {
        expectRefused(answer, 400, "BAD_REQUEST", "continuationMarker", at: location)
        #expect(answer.records.isEmpty, sourceLocation: location)
    }

    @Test("Garbage is refused", arguments: ["", "x", "AAAA", "not base64!", "e30=", "../../etc/passwd"])
    func garbage(text: String) async throws {
        let type = Unique.name("Marked")
        _ = try await start(in: database, type: type)
        expectRefusedMarker(try await database.query(type, ["continuationMarker": .string(text)]))
        expectRefused(
            try await database.query(type, ["continuationMarker": 7]), 400, "BAD_REQUEST", "continuationMarker")
    }

    @Test("A marker with any bit flipped, cut short or longer is refused")
    func flipped() async throws {
        let type = Unique.name("Marked")
        let marker = try await start(in: database, type: type, sorts: [Condition.sort("n")])
        let bytes = try #require(Base64.decode(marker))
        func ask(_ bytes: [UInt8]) async throws -> Answer {
            let options: JSON = ["continuationMarker": .string(Base64.string(bytes))]
            return try await database.query(type, sorts: [Condition.sort("n")], options)
        }
        #expect(try await ask(bytes).records.count == 4)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            let answer = try await ask(changed)
            #expect(answer.status == 400 && answer.code == "BAD_REQUEST", "bit \(bit): \(answer)")
        }
        expectRefusedMarker(try await ask(Array(bytes.dropLast())))
        expectRefusedMarker(try await ask(bytes + [0]))
    }

    @Test("A marker of another query is refused")
    func otherQuery() async throws {
        let (type, other) = (Unique.name("Marked"), Unique.name("Marked"))
        let sorts = [Condition.sort("n")]
        let marker = try await start(in: database, type: type, sorts: sorts)
        _ = try await start(in: database, type: other, sorts: sorts)
        let options: JSON = ["continuationMarker": .string(marker)]
        let filter = Condition.filter("n", "GREATER_THAN", 0)
        expectRefusedMarker(try await database.query(other, sorts: sorts, options))
        expectRefusedMarker(try await database.query(type, filters: [filter], sorts: sorts, options))
        let backwards = [Condition.sort("n", ascending: false)]
        expectRefusedMarker(try await database.query(type, sorts: backwards, options))
        let zone = try await database.makeZone()
        expectRefusedMarker(try await database.query(type, sorts: sorts, zone: zone, options))
        expectRefusedMarker(try await database.query(type, sorts: sorts, options.merging(["zoneWide": true])))
        // What does not change the question may change.
        let again = try await database.query(
            type, sorts: sorts, options.merging(["resultsLimit": 2, "desiredKeys": []]))
        #expect(again.records.count == 2, "\(again)")
    }

    @Test("A marker of another user's database, of another database and of another container is refused")
    func otherUser() async throws {
        let type = Unique.name("Marked")
        let marker = try await start(in: database, type: type)
        let options: JSON = ["continuationMarker": .string(marker)]
        _ = try await start(in: tenant.bobsPrivateDatabase, type: type)
        expectRefusedMarker(try await tenant.bobsPrivateDatabase.query(type, options))
        _ = try await start(in: tenant.publicDatabase, type: type)
        expectRefusedMarker(try await tenant.publicDatabase.query(type, options))
        let stranger = try await Tenant.shared("Saving").privateDatabase
        _ = try await start(in: stranger, type: type)
        expectRefusedMarker(try await stranger.query(type, options))
    }

    @Test("A marker of a zone that was made anew gives nothing of the old one")
    func oldZone() async throws {
        let type = Unique.name("Marked")
        let zone = try await database.makeZone()
        let marker = try await start(in: database, type: type, zone: zone)
        _ = try await database.zone("delete", zone)
        _ = try await database.zone("create", zone)
        let answer = try await database.query(type, zone: zone, ["continuationMarker": .string(marker)])
        #expect(answer.records.isEmpty, "\(answer)")
        #expect(answer.status == 200 || answer.code == "BAD_REQUEST", "\(answer)")
    }
}
