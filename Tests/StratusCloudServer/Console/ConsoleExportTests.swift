import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Exports of what a query finds, in any database that a developer sees.
@Suite struct ConsoleExportTests {
    private static let development = "c/\(TestCloud.container)/development"

    private func export(
        _ browser: ConsolePlace.Browser, _ query: [String: Any], in database: String = "public", as user: String? = nil,
        environment: String = "development"
    ) async throws -> RawResponse {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: query), as: UTF8.self)
        let allowed = CharacterSet.alphanumerics
        let words = text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return try await browser.get(
            "c/\(TestCloud.container)/\(environment)/export?database=\(database)&query=\(words)"
                + (user.map { "&as=\($0)" } ?? ""))
    }

    private func names(_ answer: RawResponse) throws -> [String] {
        try answer.body.split(separator: "\n").map { line in
            let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return record?["recordName"] as? String ?? "?"
        }
    }

    private static func above(_ number: Int) -> [String: Any] {
        [
            "query": [
                "recordType": "Step",
                "filterBy": [
                    ["fieldName": "number", "comparator": "GREATER_THAN", "fieldValue": ["value": number]]
                ],
                "sortBy": [["fieldName": "number", "ascending": false]],
            ]
        ]
    }

    private func steps(_ count: Int, _ browser: ConsolePlace.Browser) async throws {
        for start in stride(from: 0, to: count, by: 150) {
            let operations = (start..<start + 150).map { number -> [String: Any] in
                [
                    "operationType": "forceUpdate",
                    "record": [
                        "recordType": "Step", "recordName": "s\(number)", "fields": ["number": ["value": number]],
                    ],
                ]
            }
            #expect(try await browser.ck("records/modify", ["operations": operations]).status == 200)
        }
    }

    @Test func itHasWhatTheQueryFindsInItsOrder() async throws {
        let place = try await ConsolePlace()
        try await steps(450, place.owner)
        // More than a page, from the greatest on.
        let found = try await export(place.owner, Self.above(99))
        #expect(found.status == 200)
        #expect(
            found["Content-Disposition"] == "attachment; filename=\"\(TestCloud.container)-development-Step.jsonl\"")
        #expect(try names(found) == (100..<450).reversed().map { "s\($0)" })
        let viewer = try await place.developer("viewer")
        #expect(try names(try await export(viewer, Self.above(447))) == ["s449", "s448"])
        #expect(try names(try await export(viewer, Self.above(449))).isEmpty)
        // A limit and a choice of keys are for pages of the grid; all of it is exported.
        var short = Self.above(440)
        short["resultsLimit"] = 2
        short["desiredKeys"] = ["nothing"]
        let whole = try await export(place.owner, short)
        #expect(try names(whole).count == 9 && whole.body.contains("\"number\""))
        for wrong: [String: Any] in [
            [:], ["query": ["recordType": 7]],
            [
                "query": [
                    "recordType": "Step",
                    "filterBy": [["fieldName": "number", "comparator": "LIKE", "fieldValue": [:]]],
                ]
            ],
        ] {
            let refused = try await export(place.owner, wrong)
            #expect(refused.status == 400 && refused["Content-Disposition"] == nil, "\(wrong)")
        }
        #expect(try await export(place.owner, ["query": ["recordType": "None"]]).status == 404)
        #expect(try await export(place.nobody, Self.above(1)).status == 401)
        await place.stop()
    }

    /// What a test account sees is exported to who may stand in for it, the shared database, too, and to nobody else.
    @Test func theSharedDatabaseOfATestAccount() async throws {
        let place = try await ConsolePlace()
        let container = TestCloud.context().container
        let ann = try await place.cloud.service.createTestAccount(email: "ann@app.test", in: container).account
        let bob = try await place.cloud.service.createTestAccount(email: "bob@app.test", in: container).account
        let developer = try await place.developer("developer")
        func ask(_ path: String, _ body: [String: Any], _ database: String, as user: String) async throws -> RawResponse
        {
            let answer = try await developer.ck(path, body, in: database, as: user)
            #expect(answer.status == 200, "\(answer.body)")
            return answer
        }
        let zone = ["zoneName": "Trip"]
        _ = try await ask(
            "zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], "private",
            as: ann.userRecordName)
        func record(_ type: String, _ name: String, _ more: [String: Any]) -> [String: Any] {
            let record: [String: Any] = ["recordType": type, "recordName": name].merging(more) { $1 }
            return ["operationType": "create", "record": record]
        }
        let root = record("Step", "root", ["fields": ["number": ["value": 7]]])
        let share = record(
            "cloudkit.share", "share",
            ["forRecord": ["recordName": "root"], "publicPermission": "READ_WRITE", "fields": [String: Any]()])
        let saved = try await ask(
            "records/modify", ["zoneID": zone, "atomic": true, "operations": [root, share]], "private",
            as: ann.userRecordName)
        let guid = try #require(saved.records.last?["shortGUID"] as? String, "\(saved.body)")
        _ = try await ask(
            "records/accept", ["shortGUIDs": [["value": guid]]], "public", as: bob.userRecordName)
        var query = Self.above(1)
        query["zoneID"] = ["zoneName": "Trip", "ownerRecordName": ann.userRecordName]
        let shared = try await export(developer, query, in: "shared", as: bob.userRecordName)
        #expect(shared.status == 200, "\(shared.body)")
        #expect(try names(shared) == ["root"])
        #expect(shared.body.contains("\"ownerRecordName\":\"_defaultOwner\""), "it can be imported elsewhere")
        // The developer takes no part; a viewer stands in for nobody; and nobody does in production.
        #expect(try await export(developer, query, in: "shared").status == 404)
        let viewer = try await place.developer("viewer")
        #expect(try await export(viewer, query, in: "shared", as: bob.userRecordName).status == 403)
        let production = try await export(
            place.owner, query, in: "shared", as: bob.userRecordName, environment: "production")
        #expect(production.status == 403)
        let person = try await place.cloud.service.userRecordName(email: TestCloud.email, in: TestCloud.context())
        #expect(try await export(developer, Self.above(1), in: "private", as: person).status != 200)
        await place.stop()
    }
}
