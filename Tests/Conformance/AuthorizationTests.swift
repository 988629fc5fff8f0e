import StratusTestSupport
import Testing

/// The authorization matrix, cell by cell (threats 1 to 8, 16, 17 and 21).
@Suite("Authorization")
struct AuthorizationTests {
    typealias Matrix = AuthorizationMatrix

    let tenant: Tenant

    init() async throws { tenant = try await Tenant.shared("Authorization") }

    static let recordType = "Guarded"

    private func credential(_ identity: Matrix.Identity) async throws -> Credential {
        let stranger = try await Tenant.shared("Stranger")
        switch identity {
        case .nobody: return .none
        case .apiToken: return .apiToken(tenant.apiToken)
        case .creator: return tenant.credential(of: tenant.alice)
        case .otherUser: return tenant.credential(of: tenant.bob)
        case .serverKey: return tenant.key
        case .productionToken: return .apiToken(tenant.productionToken)
        case .otherContainersToken: return .apiToken(stranger.apiToken)
        case .otherContainersUser:
            return .user(apiToken: tenant.apiToken, webAuthToken: stranger.alice.webAuthToken)
        case .productionUser:
            let session = try await Self.productionSession.value
            return .user(apiToken: tenant.apiToken, webAuthToken: session)
        case .unknownToken: return .apiToken(String(repeating: "a", count: 64))
        }
    }

    private static let productionSession = Task {
        let tenant = try await Tenant.shared("Authorization")
        return try await tenant.cloud.makeSession(tenant.alice.email, tenant.container, "production").webAuthToken
    }

    /// The creator's record, with a text that nobody else may see, and a zone of the creator's.
    private struct Scene {
        let owner: Database
        let record: JSON
        let secret: String
        let zone: String?
        let newName = Unique.name("new")
        let newZone = Unique.name("Zone")

        var name: String { record.name }
    }

    private func scene(_ scope: String) async throws -> Scene {
        // Nothing can be put into a shared database: there the private one must stay out of reach.
        let owner = tenant.database(scope == "public" ? "public" : "private", tenant.credential(of: tenant.alice))
        let secret = Unique.name("secret")
        let fields = Fields.untyped(["secret": .string(secret), "n": 1])
        let record = try await owner.save(Change.create(Self.recordType, Unique.name("r"), fields))
        return Scene(
            owner: owner, record: record, secret: secret, zone: scope == "public" ? nil : try await owner.makeZone())
    }

    private func perform(_ action: Matrix.Action, in database: Database, _ scene: Scene) async throws -> Answer {
        let type = Self.recordType
        let fields = Fields.untyped(["n": 2])
        let zone = scene.zone ?? scene.newZone
        switch action {
        case .create: return try await database.modify([Change.create(type, scene.newName, fields)])
        case .createOver: return try await database.modify([Change.create(type, scene.name, fields)])
        case .update: return try await database.modify([Change.update(scene.record, fields)])
        case .replace: return try await database.modify([Change.replace(scene.record, fields)])
        case .forceUpdate: return try await database.modify([Change.forceUpdate(type, scene.name, fields)])
        case .forceReplace: return try await database.modify([Change.forceReplace(type, scene.name, fields)])
        case .forceUpdateNew: return try await database.modify([Change.forceUpdate(type, scene.newName, fields)])
        case .forceReplaceNew: return try await database.modify([Change.forceReplace(type, scene.newName, fields)])
        case .delete: return try await database.modify([Change.delete(scene.record)])
        case .forceDelete: return try await database.modify([Change.forceDelete(scene.name)])
        case .lookup: return try await database.lookup([scene.name])
        case .query:
            let filter = Condition.filter("secret", "EQUALS", .string(scene.secret))
            return try await database.query(type, filters: [filter])
        case .listZones: return try await database.get("zones/list")
        case .lookupZones: return try await database.post("zones/lookup", ["zones": [["zoneName": "_defaultZone"]]])
        case .createZone: return try await database.zone("create", scene.newZone)
        case .deleteZone: return try await database.zone("delete", zone)
        case .deleteDefaultZone: return try await database.zone("delete", "_defaultZone")
        case .zoneChanges: return try await database.zoneChanges(zone)
        case .uploadAsset: return try await database.post("assets/upload", Database.tokens(type, scene.name, "file"))
        case .uploadAssetNew:
            return try await database.post("assets/upload", Database.tokens(type, scene.newName, "file"))
        }
    }

    @Test("The matrix", arguments: Matrix.cells)
    func matrix(cell: Matrix.Cell) async throws {
        let scene = try await scene(cell.scope)
        let database = tenant.database(cell.scope, try await credential(cell.identity))
        let answer = try await perform(cell.action, in: database, scene)
        expect(cell.outcome, of: answer)
        let maySee = cell.scope == "public" ? cell.identity.isGoodHere : cell.identity == .creator
        if !maySee || cell.scope == "shared" {
            for hidden in [scene.secret, tenant.alice.email] { #expect(!answer.text.contains(hidden), "\(answer)") }
            if let zone = scene.zone, ![.deleteZone, .zoneChanges].contains(cell.action) {
                #expect(!answer.text.contains(zone), "\(answer)")
            }
        }
        try await expectState(after: cell, scene)
    }

    private func expect(_ outcome: Matrix.Outcome, of answer: Answer) {
        let items = answer.records + answer.zones + (answer.json["tokens"].array ?? [])
        switch outcome {
        case .done:
            #expect(answer.status == 200, "\(answer)")
            #expect(!items.isEmpty && items.allSatisfy { $0["serverErrorCode"] == .absent }, "\(answer)")
        case .itemRefused(let code, let words):
            #expect(answer.status == 200, "\(answer)")
            #expect(items.count == 1, "\(answer)")
            #expect(items.first?["serverErrorCode"].string == code, "\(answer)")
            #expect(words.isEmpty || items.first?["reason"].string?.contains(words) == true, "\(answer)")
        case .refused(let status, let code): expectRefused(answer, status, code)
        case .empty:
            #expect(answer.status == 200, "\(answer)")
            #expect(items.isEmpty, "\(answer)")
        case .notDone:
            let isRefused = items.allSatisfy { $0["serverErrorCode"].isPresent }
            #expect(answer.status != 200 || isRefused, "\(answer)")
            #expect((200..<500).contains(answer.status), "\(answer)")
        }
    }

    /// Only what was done may have changed anything.
    private func expectState(after cell: Matrix.Cell, _ scene: Scene) async throws {
        let isDone = cell.outcome == .done && (cell.scope == "public" || cell.identity == .creator)
        if isDone, cell.action.writes {
            let now = try await scene.owner.find(scene.name)
            if cell.action == .delete || cell.action == .forceDelete {
                expectFailed(now, "NOT_FOUND")
            } else {
                #expect(now.value("n") == 2)
                #expect(now["created"] == scene.record["created"])
            }
        } else {
            try await expectUnchanged(scene.record, in: scene.owner)
        }
        if isDone, cell.action.makes {
            #expect(try await scene.owner.find(scene.newName)["recordChangeTag"].isPresent)
        } else {
            try await expectAbsent(scene.newName, in: scene.owner)
        }
        let zones = try await scene.owner.get("zones/list").zones.compactMap { $0["zoneID"]["zoneName"].string }
        #expect(zones.contains("_defaultZone"))
        #expect(zones.contains(scene.newZone) == (isDone && cell.action == .createZone))
        if let zone = scene.zone { #expect(zones.contains(zone) != (isDone && cell.action == .deleteZone)) }
    }

    @Test("Threat 1: another's record and one that never was are answered alike")
    func noDifference() async throws {
        let scene = try await scene("private")
        let bob = tenant.bobsPrivateDatabase
        let (others, never) = (try await bob.find(scene.name), try await bob.find(Unique.name("r")))
        #expect(others["reason"].string?.replacing(scene.name, with: "") == never["reason"].string)
        #expect(others["serverErrorCode"] == never["serverErrorCode"])
        let zone = try #require(scene.zone)
        let absent = Unique.name("Zone")
        let (othersZone, neverZone) = (
            try await bob.find("r", zone: zone), try await bob.find("r", zone: absent)
        )
        #expect(othersZone["serverErrorCode"] == "ZONE_NOT_FOUND")
        #expect(
            othersZone["reason"].string?.replacing(zone, with: "")
                == neverZone["reason"].string?.replacing(absent, with: ""))
    }

    @Test("Threat 3: container and token must agree", arguments: ["public", "private"])
    func otherContainer(scope: String) async throws {
        let stranger = try await Tenant.shared("Stranger")
        let scene = try await scene(scope)
        var database = stranger.database(scope, stranger.credential(of: stranger.alice))
        database.container = tenant.container
        for action in Matrix.Action.allCases {
            expectRefused(try await perform(action, in: database, scene), 401, "AUTHENTICATION_FAILED")
        }
        try await expectUnchanged(scene.record, in: scene.owner)
    }

    @Test("Threat 8: what the server says about a record cannot be sent by a client")
    func systemFields() async throws {
        let name = Unique.name("r")
        var change = Change.create(Self.recordType, name, Fields.untyped(["n": 1]))
        let forged: JSON = [
            "created": ["timestamp": 0, "userRecordName": .string(tenant.bob.userRecordName)],
            "creatorUserRecordName": .string(tenant.bob.userRecordName), "recordChangeTag": "zzz",
            "zoneID": ["zoneName": "_defaultZone", "ownerRecordName": .string(tenant.bob.userRecordName)],
        ]
        change["record"] = change["record"].merging(forged)
        let answer = try await tenant.publicDatabase.modify([change])
        guard let item = answer.records.first, item["serverErrorCode"] == .absent else {
            #expect(
                answer.code == "BAD_REQUEST" || answer.records.first?["serverErrorCode"] == "BAD_REQUEST", "\(answer)")
            return
        }
        expectComplete(item, by: tenant.alice.userRecordName)
        #expect(item.tag != "zzz")
        let bobs = try await tenant.bobsPublicDatabase.modify([Change.forceDelete(name)])
        expectFailed(bobs.records.first ?? .absent, "ACCESS_DENIED")
    }

    @Test("Threat 17: a new record type starts with the default grants")
    func newType() async throws {
        let type = Unique.name("Fresh")
        let anonymous = tenant.anonymousDatabase
        let refused = try await anonymous.modify([Change.create(type, Unique.name("r"))])
        expectRefused(refused, 421, "AUTHENTICATION_REQUIRED")
        #expect(refused.json["redirectURL"].string?.contains("/sign-in?state=") == true, "\(refused)")
        expectRefused(try await anonymous.query(type), 404, "NOT_FOUND")
        let record = try await tenant.publicDatabase.save(Change.create(type, Unique.name("r")))
        for kind in ["update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"] {
            let change = Change.make(kind, record.name, type: type, tag: record.tag)
            let item = try await tenant.bobsPublicDatabase.modify([change]).records.first ?? .absent
            expectFailed(item, "ACCESS_DENIED", "WRITE")
            expectRefused(try await anonymous.modify([change]), 421, "AUTHENTICATION_REQUIRED")
        }
        try await expectUnchanged(record, in: anonymous)
    }
}
