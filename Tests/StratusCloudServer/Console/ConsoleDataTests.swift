import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Records through the console, and whose are seen there.
@Suite struct ConsoleDataTests {
    @Test func theBodiesAndAnswersAreThoseOfTheWebServices() async throws {
        let place = try await ConsolePlace()
        let saved = try await place.owner.ck("records/modify", Body.save("Note", "n1", ["text": "hello"]))
        #expect(saved.status == 200)
        let record = try #require(saved.records.first)
        #expect(record["recordChangeTag"] is String)
        let created = record["created"] as? [String: Any]
        #expect((created?["userRecordName"] as? String)?.count == 33)
        let query: [String: Any] = ["query": ["recordType": "Note"]]
        #expect(try await place.owner.ck("records/query", query).records.map { $0["recordName"] as? String } == ["n1"])
        let bad = try await place.owner.ck("records/query", ["query": ["recordType": 7]])
        #expect(bad.status == 400 && bad.code == "BAD_REQUEST")
        #expect(bad["Access-Control-Allow-Origin"] == nil)
        let zones = try await place.owner.ck(
            "zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]]],
            in: "private")
        #expect(zones.status == 200, "\(zones.body)")
        #expect(try await place.owner.ck("records/query", query, in: "nothing").status == 404)
        await place.stop()
    }

    @Test func everyDeveloperHasAPrivateDatabaseOfTheirOwn() async throws {
        let place = try await ConsolePlace()
        let developer = try await place.developer("developer")
        #expect(try await developer.ck("records/modify", Body.save("Diary", "d"), in: "private").status == 200)
        #expect(try await developer.ck("records/lookup", Body.lookUp("d"), in: "private").records[0]["fields"] != nil)
        let foreign = try await place.owner.ck("records/lookup", Body.lookUp("d"), in: "private")
        #expect(foreign.records[0]["serverErrorCode"] as? String == "NOT_FOUND")
        await place.stop()
    }

    /// Whatever somebody is in the team.
    @Test("Threats 1 and 2: what a person keeps in their private database is not there")
    func peoplesPrivateDataAreNotThere() async throws {
        let place = try await ConsolePlace()
        let token = try await place.cloud.webAuthToken()
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: Body.save("Diary", "secret", ["text": "hush"])),
            as: UTF8.self)
        let saved = try await place.cloud.call("POST", "private/records/modify", token: token, body: body)
        #expect(saved.status == 200)
        let person = try await place.cloud.service.userRecordName(email: TestCloud.email, in: TestCloud.context())
        let zone = ["zoneName": "_defaultZone", "ownerRecordName": person]
        let asked: [(String, [String: Any])] = [
            ("records/lookup", Body.lookUp("secret")), ("records/lookup", Body.lookUp("secret", zone: zone)),
            ("records/query", ["query": ["recordType": "Diary"]]),
            ("records/query", ["query": ["recordType": "Diary"], "zoneID": zone]),
            ("changes/zone", ["zones": [["zoneID": zone]]]), ("records/changes", ["zoneID": zone]),
            ("zones/lookup", ["zones": [zone]]), ("zones/list", [:]), ("changes/database", [:]),
            ("subscriptions/list", [:]),
        ]
        for database in ["public", "private", "shared"] {
            for (operation, body) in asked {
                for user in [nil, person, "_" + String(repeating: "0", count: 32)] {
                    let answer = try await place.owner.ck(operation, body, in: database, as: user)
                    let what = "\(database) \(operation) as \(user ?? "-"): \(answer.body)"
                    #expect(!answer.body.contains("hush"), "\(what)")
                    #expect(!answer.body.contains("\"recordChangeTag\""), "\(what)")
                    if user != nil { #expect(answer.status == 403, "\(what)") }
                }
            }
        }
        await place.stop()
    }

    /// The operator fills databases beyond their quotas, with the tool; who is in a team is not the operator.
    @Test func quotasHoldForDevelopers() async throws {
        let quotas = Quotas(publicRecords: 4_000, publicAssets: 100, privateRecords: 2_000)
        let place = try await ConsolePlace(try await TestCloud(quotas: quotas))
        let long = String(repeating: "long ", count: 1_000)
        for (database, quota) in [("public", 4_000), ("private", 2_000)] {
            let refused = try await place.owner.ck(
                "records/modify", Body.save("Note", "n", ["text": long]), in: database)
            let record = try #require(refused.records.first, "\(refused.body)")
            #expect(record["serverErrorCode"] as? String == "QUOTA_EXCEEDED")
            #expect((record["reason"] as? String)?.contains("quota of \(quota)") == true, "\(refused.body)")
            let saved = try await place.owner.ck(
                "records/modify", Body.save("Note", "n", ["text": "short"]), in: database)
            #expect(saved.records.first?["recordChangeTag"] is String, "\(saved.body)")
        }
        let schema = "DEFINE SCHEMA RECORD TYPE Note (text STRING, cover ASSET);"
        let imported = try await place.owner.send(
            "POST", "c/\(TestCloud.container)/development/schema/import", ["text": schema])
        #expect(imported.status == 200, "\(imported.body)")
        let tokens = ["tokens": [["recordType": "Note", "fieldName": "cover"]]]
        let answer = try await place.owner.ck("assets/upload", tokens)
        let token = try #require((answer.json["tokens"] as? [[String: Any]])?.first, "\(answer.body)")
        let path = try #require(token["url"] as? String)
        let asset = String(repeating: "a", count: 101)
        let upload = try await place.cloud.client.send("POST", path, body: asset)
        #expect(upload.status == 413 && upload.body.contains("leaves room for 100"), "\(upload.body)")
        await place.stop()
    }

    @Test func viewersReadAndChangeNothing() async throws {
        let place = try await ConsolePlace()
        let viewer = try await place.developer("viewer")
        _ = try await place.owner.ck("records/modify", Body.save("Note", "n", ["text": "old"]))
        for database in ["public", "private"] {
            let refused = try await viewer.ck("records/modify", Body.save("Note", "n", ["text": "new"]), in: database)
            #expect(refused.status == 403 && refused.error == "ACCESS_DENIED")
        }
        let seen = try await viewer.ck("records/lookup", Body.lookUp("n"))
        let fields = seen.records.first?["fields"] as? [String: [String: Any]]
        #expect(fields?["text"]?["value"] as? String == "old")
        await place.stop()
    }

    @Test("Threat 15: only test accounts are acted as, in development only")
    func testAccountsAreActedAsInDevelopmentOnly() async throws {
        let place = try await ConsolePlace()
        let developer = try await place.developer("developer")
        let path = "c/\(TestCloud.container)/development/test-accounts"
        #expect(try await developer.send("POST", path, ["email": "real@example.org"]).status == 400)
        let made = try await developer.send("POST", path, ["email": "ann@app.test"])
        let name = try #require(made.json["userRecordName"] as? String, "\(made.body)")
        let password = try #require(made.json["password"] as? String)
        #expect(try await developer.send("POST", path, ["email": "ann@app.test"]).status == 409)
        let madeUp = try await developer.send("POST", path, [:])
        #expect((madeUp.json["email"] as? String)?.hasSuffix("@org.example.app.test") == true)
        // What she saves is hers, and seen through her alone.
        #expect(
            try await developer.ck("records/modify", Body.save("Diary", "d"), in: "private", as: name).status == 200)
        let caller = try await developer.ck("users/caller", [:], as: name)
        #expect(caller.json["userRecordName"] as? String == name)
        let own = try await developer.ck("records/lookup", Body.lookUp("d"), in: "private")
        #expect(own.records[0]["serverErrorCode"] as? String == "NOT_FOUND")
        let acted = try await developer.ck("records/lookup", Body.lookUp("d"), in: "private", as: name)
        #expect(acted.records[0]["recordChangeTag"] is String)
        let production = try await developer.ck("users/caller", [:], environment: "production", as: name)
        #expect(production.status == 403)
        #expect(try await place.developer("viewer").ck("users/caller", [:], as: name).status == 403)
        // She signs in to this app in development, and to nothing else.
        let service = place.cloud.service
        _ = try await service.signIn(
            email: "ann@app.test", password: password, staySignedIn: false, context: TestCloud.context(), source: nil)
        await #expect(throws: CloudError.self) {
            _ = try await service.signIn(
                email: "ann@app.test", password: password, staySignedIn: false,
                context: TestCloud.context(.production), source: nil)
        }
        let list = try await developer.get(path).json["accounts"] as? [[String: Any]] ?? []
        #expect(list.count == 2)
        let id = try #require(list.first { $0["email"] as? String == "ann@app.test" }?["id"] as? String)
        #expect(try await developer.send("DELETE", "\(path)/\(id)").status == 200)
        #expect(try await developer.ck("users/caller", [:], as: name).status == 403)
        #expect(try await developer.send("DELETE", "\(path)/\(id)").status == 404)
        await place.stop()
    }

    @Test func anotherContainersTestAccountIsNobodysHere() async throws {
        let place = try await ConsolePlace()
        let other = try #require(ContainerIdentifier(ConsolePlace.otherContainer))
        try await place.cloud.service.createContainer(other)
        let account = try await place.cloud.service.createTestAccount(email: nil, in: other).account
        #expect(try await place.owner.ck("users/caller", [:], as: account.userRecordName).status == 403)
        await place.stop()
    }

    @Test func addressesOfAssetsAreOfThisServer() async throws {
        let place = try await ConsolePlace()
        let answer = try await place.owner.ck(
            "assets/upload",
            ["tokens": [["recordType": "Photo", "fieldName": "image", "recordName": "p"]]])
        let tokens = answer.json["tokens"] as? [[String: Any]]
        #expect((tokens?.first?["url"] as? String)?.hasPrefix("/assets/upload/") == true, "\(answer.body)")
        await place.stop()
    }
}
