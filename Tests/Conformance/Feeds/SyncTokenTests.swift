import Foundation
import StratusCloudModel
import StratusTestSupport
import Testing

/// Sync tokens that the server did not give, gave for something else, or gave long ago.
@Suite("Sync tokens")
struct SyncTokenTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Sync tokens")
        database = tenant.privateDatabase
    }

    private func makeZone(in database: Database) async throws -> String {
        let zone = try await database.makeZone()
        expectSaved(
            try await database.modify([Change.create("Note", "a"), Change.create("Note", "b")], zone: zone), count: 2)
        return zone
    }

    /// Expects a request refused for its token.
    private func expectExpiredRequest(_ answer: Answer, at location: SourceLocation = #_sourceLocation) {
        expectRefused(answer, 400, "BAD_REQUEST", "syncToken", at: location)
        #expect(answer.json["extensionErrorCode"] == "CHANGE_TOKEN_EXPIRED", "\(answer)", sourceLocation: location)
        #expect(answer.json["zones"] == .absent && answer.json["records"] == .absent, sourceLocation: location)
    }

    @Test("Threat 34: garbage is refused", arguments: ["", "x", "AAAA", "not base64!", "e30=", "../../etc/passwd"])
    func garbage(text: String) async throws {
        let zone = try await makeZone(in: database)
        expectExpired(try await database.zonePage(zone, since: text))
        expectExpiredRequest(try await database.databaseChanges(since: text))
        expectExpiredRequest(try await database.post("zones/changes", ["metaSyncToken": .string(text)]))
        expectExpiredRequest(
            try await database.post(
                "records/changes", ["zoneID": ["zoneName": .string(zone)], "syncToken": .string(text)]))
    }

    @Test("Threat 34: a token with any bit flipped, cut short or longer is refused")
    func flipped() async throws {
        let zone = try await makeZone(in: database)
        let token = try #require(try await database.zonePage(zone, ["resultsLimit": 1])["syncToken"].string)
        let bytes = try #require(Base64.decode(token), "OpenCloudKit wants base64")
        var changed = (0..<bytes.count * 8).map { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            return changed
        }
        changed += [Array(bytes.dropLast()), bytes + [0]]
        // Many to a request: each zone stands alone.
        for start in stride(from: 0, to: changed.count, by: 200) {
            let items = changed[start..<min(start + 200, changed.count)].map { bytes -> JSON in
                ["zoneID": ["zoneName": .string(zone)], "syncToken": .string(Base64.string(bytes))]
            }
            let answer = try await database.post("changes/zone", ["zones": .array(items)])
            #expect(answer.zones.count == items.count)
            for item in answer.zones { expectExpired(item) }
        }
        #expect(try await database.zonePage(zone, since: token).records.map(\.name) == ["b"])
    }

    @Test("Case 99: a token of another zone, database, owner, container or kind is refused")
    func foreign() async throws {
        let (zone, other) = (try await makeZone(in: database), try await makeZone(in: database))
        let token = try await database.syncToken(of: zone)
        expectExpired(try await database.zonePage(other, since: token))
        expectExpiredRequest(try await database.databaseChanges(since: token))
        let databaseToken = try #require(try await database.databaseChanges().json["syncToken"].string)
        expectExpired(try await database.zonePage(zone, since: databaseToken))
        // Zones of the same name elsewhere.
        let stranger = try await Tenant.shared("Saving").privateDatabase
        for elsewhere in [tenant.bobsPrivateDatabase, stranger] {
            _ = try await elsewhere.zone("create", zone)
            expectExpired(try await elsewhere.zonePage(zone, since: token))
            expectExpiredRequest(try await elsewhere.databaseChanges(since: databaseToken))
        }
        let shared = tenant.database("shared", tenant.credential(of: tenant.alice))
        expectExpiredRequest(try await shared.databaseChanges(since: databaseToken))
    }

    @Test("Threat 2: another owner's zone is out of reach of the feeds")
    func otherOwner() async throws {
        let zone = try await makeZone(in: database)
        let zoneID: JSON = ["zoneName": .string(zone), "ownerRecordName": .string(tenant.alice.userRecordName)]
        let bob = tenant.bobsPrivateDatabase
        let words = "PrivateDB can't be used to access another user's zone"
        let answer = try await bob.post("changes/zone", ["zones": [["zoneID": zoneID]]])
        expectFailed(answer.zones.first ?? .absent, "BAD_REQUEST", words)
        expectRefused(try await bob.post("records/changes", ["zoneID": zoneID]), 400, "BAD_REQUEST", words)
        for action in ["changes/database", "zones/changes"] {
            #expect(try await bob.post(action, [:]).text.contains(zone) == false)
        }
        let key = tenant.database("private", tenant.key)
        expectRefused(try await key.databaseChanges(), 403, "ACCESS_DENIED")
    }

    @Test("Cases 93 and 98, threat 58: tokens survive restarts; those of a lost future do not survive an old backup")
    func restartAndRestore() async throws {
        let cloud = try await Cloud()
        let tenant = try await Tenant(in: cloud)
        func database(_ cloud: Cloud) -> Database {
            var database = tenant.privateDatabase
            database.server = cloud.server.url
            return database
        }
        let zone = try await makeZone(in: database(cloud))
        let first = try #require(try await database(cloud).zonePage(zone, ["resultsLimit": 1])["syncToken"].string)
        let databaseToken = try #require(try await database(cloud).databaseChanges().json["syncToken"].string)
        cloud.server.terminate()
        _ = await cloud.server.ending
        let backup = cloud.directory.path + "-backup"
        try FileManager.default.copyItem(atPath: cloud.directory.path, toPath: backup)
        defer { try? FileManager.default.removeItem(atPath: backup) }

        let second = try await Cloud(directory: cloud.directory)
        let rest = try await database(second).zonePage(zone, since: first)
        #expect(rest.records.map(\.name) == ["b"])
        try await database(second).save(Change.create("Note", "lost"), zone: zone)
        let lost = try await database(second).syncToken(of: zone)
        #expect(try await database(second).databaseChanges(since: databaseToken).zones.count == 1)
        second.server.kill()
        _ = await second.server.ending

        try FileManager.default.removeItem(atPath: cloud.directory.path)
        try FileManager.default.copyItem(atPath: backup, toPath: cloud.directory.path)
        let third = try await Cloud(directory: cloud.directory)
        expectExpired(try await database(third).zonePage(zone, since: lost))
        for name in ["c", "d"] { try await database(third).save(Change.create("Note", name), zone: zone) }
        expectExpired(try await database(third).zonePage(zone, since: lost))
        #expect(try await database(third).zonePage(zone, since: first).records.map(\.name) == ["b", "c", "d"])
        #expect(try await database(third).databaseChanges(since: databaseToken).zones.count == 1)
        third.server.terminate()
        _ = await third.server.ending
    }
}
