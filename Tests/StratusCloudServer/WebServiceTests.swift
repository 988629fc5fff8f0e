import Foundation
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudServer

/// Requests and answers of the web services as clients see them.
@Suite struct WebServiceTests {
    private static let create =
        #"{"operations":[{"operationType":"create","record":{"recordName":"n1","recordType":"Note","#
        + #""fields":{"count":{"value":9007199254740993,"type":"INT64"}}}}]}"#
    private static let lookup = #"{"records":[{"recordName":"n1"}]}"#

    @Test(arguments: ["text/plain", "application/json; charset=utf-8", "multipart/form-data", ""])
    func readsBodiesWhateverTheyAreCalled(contentType: String) async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        let headers = contentType.isEmpty ? [] : [("Content-Type", contentType)]
        let saved = try await cloud.call(
            "POST", "private/records/modify", token: token, body: Self.create, headers: headers)
        #expect(saved.status == 200)
        let records = try #require(saved.json["records"] as? [[String: Any]])
        #expect(records.first?["recordName"] as? String == "n1")
        let found = try await cloud.call("POST", "private/records/lookup", token: token, body: Self.lookup)
        #expect(found.body.contains("9007199254740993"))
        #expect(found["Content-Type"] == "application/json; charset=UTF-8")
        await cloud.stop()
    }

    @Test func keepsRecordsInADirectory() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cloud = try await TestCloud(store: try SQLiteStore(directory: folder.path))
        let token = try await cloud.webAuthToken()
        #expect(
            try await cloud.call("POST", "private/records/modify", token: token, body: Self.create).status == 200)
        let found = try await cloud.call("POST", "private/records/lookup", token: token, body: Self.lookup)
        #expect(found.body.contains("9007199254740993"))
        await cloud.stop()
    }

    @Test func writesNumbersAsStringsAndTheZonesTokenOnRequest() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        _ = try await cloud.call("POST", "private/records/modify", token: token, body: Self.create)
        let body = #"{"records":[{"recordName":"n1"}],"numbersAsStrings":true}"#
        let plain = try await cloud.call("POST", "private/records/lookup", token: token, body: body)
        #expect(plain.body.contains(#""9007199254740993""#))
        #expect(plain.json["syncToken"] == nil)
        let path = TestCloud.path("private/records/lookup")
        for (value, isTrue) in [
            ("true", true), ("True", true), ("TRUE", true), ("t%72ue", true), ("false", false),
            ("False", false), ("", false), ("yes", false),
        ] {
            let synced = try await cloud.client.send(
                "POST",
                "\(path)?getCurrentSyncToken=\(value)&ckAPIToken=\(cloud.apiToken)&ckWebAuthToken=\(token)", body: body)
            #expect((synced.json["syncToken"] is String) == isTrue, "\(value)")
        }
        await cloud.stop()
    }

    @Test func findsRecordsByQuery() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        _ = try await cloud.call("POST", "private/records/modify", token: token, body: Self.create)
        let query = #"{"query":{"recordType":"Note"}}"#
        let path = TestCloud.path("private/records/query")
        let page = try await cloud.client.send(
            "POST", "\(path)?getCurrentSyncToken=true&ckAPIToken=\(cloud.apiToken)&ckSession=\(token)", body: query)
        #expect(page.status == 200)
        #expect((page.json["records"] as? [[String: Any]])?.first?["recordName"] as? String == "n1")
        #expect(page.json["syncToken"] is String)
        let unknown = #"{"query":{"recordType":"Note","filterBy":[{"comparator":"LIKE","fieldName":"a"}]}}"#
        let refused = try await cloud.call("POST", "private/records/query", token: token, body: unknown)
        #expect(refused.status == 400)
        #expect(refused.isWholeError)
        await cloud.stop()
    }

    @Test func answersZonesAlikeByGetAndPost() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        let create = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#
        #expect(try await cloud.call("POST", "private/zones/modify", token: token, body: create).status == 200)
        let get = try await cloud.call("GET", "private/zones/list", token: token)
        #expect(get.body.contains("Notes"))
        for body in ["", "{}"] {
            let post = try await cloud.call("POST", "private/zones/list", token: token, body: body)
            #expect(post.status == 200)
            #expect(post.body == get.body)
        }
        // Two clients' habits: a body with GET, and a path without its database.
        let withBody = try await cloud.call("GET", "private/zones/list", token: token, body: "[")
        #expect(withBody.body == get.body)
        let withoutScope = try await cloud.call("GET", "/zones/list", token: token)
        #expect(withoutScope.body == get.body)
        let lookup = try await cloud.call(
            "POST", "private/zones/lookup", token: token, body: #"{"zones":[{"zoneName":"Notes"},{"zoneName":"No"}]}"#)
        #expect(lookup.status == 200)
        #expect((lookup.json["zones"] as? [[String: Any]])?.last?["serverErrorCode"] as? String == "ZONE_NOT_FOUND")
        await cloud.stop()
    }

    @Test(arguments: ["{", "[]", "null", #"{"records":5}"#, #"{"records":[{"recordName":"a"}]} x"#, "\u{FEFF}{}", "{}"])
    func refusesBodiesThatAreNoRequest(body: String) async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        let response = try await cloud.call("POST", "private/records/lookup", token: token, body: body)
        #expect(response.status == 400)
        #expect(response.code == "BAD_REQUEST")
        #expect(response.isWholeError)
        await cloud.stop()
    }

    @Test func refusesRoutesWithWholeErrors() async throws {
        let cloud = try await TestCloud()
        for (method, rest, status, code) in [
            ("POST", "private/records/nothing", 404, "NOT_FOUND"),
            ("GET", "private/records/lookup", 405, "BAD_REQUEST"),
            ("DELETE", "private/zones/list", 405, "BAD_REQUEST"), ("POST", "friends/zones/list", 400, "BAD_REQUEST"),
        ] {
            let response = try await cloud.call(method, rest)
            #expect(response.status == status)
            #expect(response.code == code)
            #expect(response.isWholeError)
            #expect((response["Allow"] != nil) == (status == 405))
        }
        await cloud.stop()
    }

    @Test func givesEveryRequestItsOwnName() async throws {
        let cloud = try await TestCloud()
        var names: Set<String> = []
        for _ in 0..<20 {
            let response = try await cloud.call("POST", "private/zones/list")
            #expect(response.isWholeError)
            names.insert(response["X-Apple-Request-UUID"] ?? "")
        }
        #expect(names.count == 20)
        let identifiers = RequestIdentifiers()
        let made = Set((0..<10_000).map { _ in identifiers.make() })
        #expect(made.count == 10_000)
        #expect(made.allSatisfy { UUID(uuidString: $0) != nil && $0[$0.index($0.startIndex, offsetBy: 14)] == "4" })
        await cloud.stop()
    }

    @Test func letsOtherOriginsRead() async throws {
        let cloud = try await TestCloud()
        let origin = "https://app.example"
        for path in ["/", "/nothing", "/%zz", TestCloud.path("private/records/lookup")] {
            let response = try await cloud.client.send(
                "OPTIONS", path,
                headers: [("Origin", origin), ("Access-Control-Request-Headers", SignatureHeader.keyID)])
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            #expect(response["Access-Control-Allow-Origin"] == origin)
            #expect(response["Access-Control-Allow-Methods"]?.contains("POST") == true)
            let allowed = response["Access-Control-Allow-Headers"] ?? ""
            for name in ["Content-Type", SignatureHeader.keyID, SignatureHeader.date, SignatureHeader.signature] {
                #expect(allowed.contains(name))
            }
            #expect(response["Access-Control-Max-Age"] != nil)
        }
        let token = try await cloud.webAuthToken()
        let good = try await cloud.call("GET", "private/zones/list", token: token, headers: [("Origin", origin)])
        let bad = try await cloud.client.send(
            "GET", TestCloud.path("private/zones/list"), headers: [("Origin", origin)])
        for response in [good, bad] {
            #expect(response["Access-Control-Allow-Origin"] == origin)
            #expect(response["Vary"] == "Origin")
            #expect(response["Access-Control-Expose-Headers"]?.contains("X-Apple-CloudKit-Web-Auth-Token") == true)
            #expect(response["Access-Control-Allow-Credentials"] == nil)
        }
        let without = try await cloud.call("GET", "private/zones/list", token: token)
        #expect(without["Access-Control-Allow-Origin"] == nil)
        #expect(without["Vary"] == "Origin")
        await cloud.stop()
    }

    @Test func tellsWhenToTryAgain() async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store)
        let token = try await cloud.webAuthToken()
        store.failNextCommit(with: StoreError(.diskFull, "no room"))
        let response = try await cloud.call("POST", "private/records/modify", token: token, body: Self.create)
        // A failed save is one item's affair or the whole request's, as the service decides.
        #expect(response.body.contains("TRY_AGAIN_LATER"))
        let answer = WebServiceAnswer(refusing: CloudError(.tryAgainLater, "full", retryAfter: 60), requestUUID: "u")
        #expect(answer.retryAfter == 60)
        #expect(WebServiceAnswer(refusing: CloudError(.throttled, "x"), requestUUID: "u").retryAfter == 5)
        #expect(WebServiceAnswer(refusing: CloudError(.conflict, "x"), requestUUID: "u").retryAfter == nil)
        await cloud.stop()
    }
}
