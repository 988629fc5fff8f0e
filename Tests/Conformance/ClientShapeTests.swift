import Foundation
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Requests as real clients send them, as literal paths and bodies.
@Suite("Clients")
struct ClientShapeTests {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant.shared("Clients") }

    private var base: String { "/database/1/\(tenant.container)/development" }
    private var bare: Database { tenant.database("public", .none) }

    private func send(
        _ method: String, _ path: String, query: [String], type: String? = nil, _ body: String = ""
    ) async throws -> Answer {
        var headers: HTTPHeaders = [:]
        if let type { headers.append("Content-Type", type) }
        return try await bare.send(method, path: path, query: query, headers: headers, body: Array(body.utf8))
    }

    /// The query items of CloudKit JS 2, in its order.
    private var cloudKitJS: [String] {
        [
            "ckjsBuildVersion=2310ProjectDev27", "ckjsVersion=2.6.1", "clientId=\(UUID().uuidString.lowercased())",
            "ckWebAuthToken=\(PercentEncoding.encode(tenant.alice.webAuthToken))", "ckAPIToken=\(tenant.apiToken)",
        ]
    }

    @Test("CloudKit JS 2: saving, querying and deleting with text/plain bodies")
    func cloudKitJSRecords() async throws {
        let type = Unique.name("Item")
        let name = Unique.name("r")
        let saved = try await send(
            "POST", base + "/private/records/modify", query: cloudKitJS, type: "text/plain",
            """
            {"operations":[{"operationType":"create","record":{"recordType":"\(type)","recordName":"\(name)",\
            "fields":{"name":{"value":"Tea"},"amount":{"value":3}}}}],"zoneID":{"zoneName":"_defaultZone"}}
            """)
        let record = expectSaved(saved, count: 1).first ?? .absent
        #expect(saved.headers["Content-Type"]?.hasPrefix("application/json") == true)
        let queried = try await send(
            "POST", base + "/private/records/query", query: cloudKitJS, type: "text/plain",
            """
            {"query":{"recordType":"\(type)","filterBy":[{"comparator":"EQUALS","fieldName":"name",\
            "fieldValue":{"value":"Tea"}}],"sortBy":[{"fieldName":"amount","ascending":false}]},\
            "zoneID":{"zoneName":"_defaultZone"},"numbersAsStrings":true,"resultsLimit":50}
            """)
        #expect(queried.records.first?.value("amount") == "3", "\(queried)")
        let deleted = try await send(
            "POST", base + "/private/records/modify", query: cloudKitJS, type: "text/plain",
            """
            {"operations":[{"operationType":"forceDelete","record":{"recordName":"\(name)",\
            "recordChangeTag":"\(record.tag)"}}],"zoneID":{"zoneName":"_defaultZone"}}
            """)
        expectDeleted(deleted.records.first ?? .absent, name)
    }

    @Test("CloudKit JS 2: a query that continues sends everything again with the marker")
    func cloudKitJSContinues() async throws {
        let type = Unique.name("Item")
        let changes = (0..<3).map { Change.create(type, Unique.name("r"), Fields.untyped(["n": .int($0)])) }
        _ = try await tenant.privateDatabase.modify(changes)
        var marker = ""
        var seen = 0
        repeat {
            let answer = try await send(
                "POST", base + "/private/records/query", query: cloudKitJS, type: "text/plain",
                "{\"query\":{\"recordType\":\"\(type)\"},\"resultsLimit\":1\(marker)}")
            #expect(answer.json["records"].array != nil, "\(answer)")
            seen += answer.records.count
            let next = answer.json["continuationMarker"].string
            marker = next.map { ",\"continuationMarker\":\"\($0)\"" } ?? ""
        } while !marker.isEmpty
        #expect(seen == 3)
    }

    @Test("CloudKit JS 2: the answers it needs have their arrays, and setUpAuth gets the identity at the top")
    func cloudKitJSArrays() async throws {
        let get = try await send("GET", base + "/private/zones/list", query: cloudKitJS)
        #expect(get.json["zones"].array != nil, "\(get)")
        let lookup = try await send(
            "POST", base + "/private/zones/lookup", query: cloudKitJS, type: "text/plain", "{\"zones\":[]}")
        #expect(lookup.json["zones"] == [], "\(lookup)")
        let caller = try await send("GET", base + "/public/users/caller", query: cloudKitJS)
        #expect(caller.json["userRecordName"].string == tenant.alice.userRecordName, "\(caller)")
        let signedOut = try await send("GET", base + "/public/users/caller", query: ["ckAPIToken=\(tenant.apiToken)"])
        expectRefused(signedOut, 421, "AUTHENTICATION_REQUIRED")
        #expect(signedOut.json["redirectURL"].string != nil)
    }

    @Test("CloudKit JS 1: the session under its old name, and users/current")
    func cloudKitJS1() async throws {
        let query = ["ckAPIToken=\(tenant.apiToken)", "ckSession=\(PercentEncoding.encode(tenant.alice.webAuthToken))"]
        let answer = try await send("GET", base + "/public/users/current", query: query)
        #expect(answer.json["userRecordName"].string == tenant.alice.userRecordName, "\(answer)")
        #expect(answer.headers["X-Apple-CloudKit-Session"]?.isEmpty == false)
    }

    @Test("OpenCloudKit: doubled slashes, no database segment for zones, and a body on GET")
    func openCloudKit() async throws {
        // It encodes only '+' of the token.
        let token = tenant.alice.webAuthToken.replacing("+", with: "%2B")
        let query = ["ckAPIToken=\(tenant.apiToken)", "ckWebAuthToken=\(token)"]
        let type = "application/json; charset=utf-8"
        let zones = try await send("GET", "\(base)//zones/list", query: query, type: type, "{}")
        #expect(zones.json["zones"].array?.isEmpty == false, "\(zones)")
        let records = try await send(
            "POST", "\(base)//public//records/lookup", query: query, type: type,
            "{\"records\":[{\"recordName\":\"x\"}]}")
        expectFailed(records.records.first ?? .absent, "NOT_FOUND")
        let refused = try await send(
            "POST", "\(base)//public/records/query", query: query, type: type, "{\"query\":{}}")
        for key in ["uuid", "reason", "serverErrorCode"] { #expect(refused.json[key].string != nil, "\(refused)") }
    }

    @Test("OpenCloudKit: distanceToLocation as LESS_THAN with a distance")
    func openCloudKitDistance() async throws {
        let type = Unique.name("Place")
        let fields: JSON = ["at": Fields.typed("LOCATION", ["latitude": 1.0, "longitude": 1.0])]
        _ = try await tenant.publicDatabase.save(Change.create(type, Unique.name("r"), fields))
        let answer = try await tenant.publicDatabase.post(
            "records/query",
            text: """
                {"query":{"recordType":"\(type)","filterBy":{"comparator":"LESS_THAN","fieldName":"at","distance":1000,\
                "fieldValue":{"type":"LOCATION","value":{"latitude":1,"longitude":1,"horizontalAccuracy":0,\
                "verticalAccuracy":0,"altitude":0,"speed":-1,"course":-1,"timestamp":1422312944104}}}},"resultsLimit":10}
                """)
        #expect(answer.records.count == 1, "\(answer)")
    }

    @Test("MistKit: owner under ownerName, lists of typed values, and API tokens of 64 digits")
    func mistKit() async throws {
        #expect(tenant.apiToken.count == 64 && tenant.apiToken.allSatisfy(\.isHexDigit))
        let type = Unique.name("Article")
        let answer = try await tenant.privateDatabase.post(
            "records/modify",
            text: """
                {"operations":[{"operationType":"forceReplace","record":{"recordName":"\(Unique.name("r"))",\
                "recordType":"\(type)","fields":{"title":{"value":"A","type":"STRING"},"when":{"value":1700000000000,\
                "type":"TIMESTAMP"},"score":{"value":4.5,"type":"DOUBLE"},"feed":{"value":{"recordName":"f"},\
                "type":"REFERENCE"}}}}],"zoneID":{"zoneName":"_defaultZone","ownerName":"_defaultOwner"},"atomic":false}
                """)
        let record = expectSaved(answer, count: 1).first ?? .absent
        #expect(record.value("feed")["action"] == "NONE", "\(record)")
    }

    @Test("hfhbd: zoneWide beside a zone, None as an action, wrapped zone types")
    func hfhbd() async throws {
        let type = Unique.name("Row")
        let saved = try await bareKey.post(
            "records/modify",
            text: """
                {"operations":[{"operationType":"create","record":{"recordName":"\(Unique.name("r"))","recordType":"\(type)",\
                "fields":{"n":{"value":1,"type":"INT"},"link":{"value":{"recordName":"x","action":"None"},\
                "type":"REFERENCE"}},"pluginFields":{},"deleted":false}}],\
                "zoneID":{"zoneName":"_defaultZone","zoneType":"DEFAULT_ZONE"},"atomic":false,"desiredKeys":null,\
                "numbersAsStrings":false}
                """)
        expectSaved(saved, count: 1)
        let queried = try await bareKey.post(
            "records/query",
            text: """
                {"zoneID":{"zoneName":"_defaultZone","zoneType":"DEFAULT_ZONE"},"resultsLimit":null,"query":{"recordType":\
                "\(type)","filterBy":[],"sortBy":[]},"continuationMarker":null,"desiredKeys":null,"zoneWide":true,\
                "numbersAsStrings":false}
                """)
        #expect(queried.records.count == 1, "\(queried)")
    }

    private var bareKey: Database { tenant.database("public", tenant.key) }

    @Test("better-bear and pyicloud: zones/list by POST, unknown members, and iCloud's own query items")
    func pyicloud() async throws {
        let query = [
            "ckAPIToken=\(tenant.apiToken)", "ckWebAuthToken=\(PercentEncoding.encode(tenant.alice.webAuthToken))",
            "clientBuildNumber=2310Project27", "clientMasteringNumber=2310B21", "dsid=1", "remapEnums=true",
            "getCurrentSyncToken=true",
        ]
        let zones = try await send("POST", base + "/private/zones/list", query: query, "{}")
        #expect(zones.json["zones"].array?.isEmpty == false, "\(zones)")
        let lookup = try await send(
            "POST", base + "/private/records/lookup", query: query, type: "text/plain;charset=UTF-8",
            "{\"records\":[{\"recordName\":\"none\",\"x\":1}],\"assetPrivacyMaskType\":\"NONE\",\"zoneID\":{\"zoneName\":\"_defaultZone\"}}"
        )
        #expect(lookup.records.first?["recordName"] == "none", "\(lookup)")
    }

    @Test("better-bear: recordType beside the record is ignored")
    func betterBear() async throws {
        let type = Unique.name("Note")
        let answer = try await tenant.privateDatabase.post(
            "records/modify",
            text: """
                {"operations":[{"operationType":"create","recordType":"Other","record":{"recordName":"\(Unique.name("r"))",\
                "recordType":"\(type)","fields":{"t":{"value":"x","type":"STRING"}}}}]}
                """)
        #expect(answer.records.first?["recordType"].string == type, "\(answer)")
    }

    @Test("cloudkit_flutter: a system field's value under its own name")
    func cloudkitFlutter() async throws {
        let type = Unique.name("Note")
        let name = Unique.name("r")
        _ = try await tenant.privateDatabase.save(Change.create(type, name))
        let answer = try await tenant.privateDatabase.post(
            "records/query",
            text: """
                {"query":{"recordType":"\(type)","filterBy":[{"comparator":"EQUALS","systemFieldName":"recordName",\
                "fieldValue":{"value":{"recordName":"\(name)"}}}]}}
                """)
        #expect(answer.records.map(\.name) == [name], "\(answer)")
    }

    @Test("A raw plus sign in a web auth token, which arrives as a space, still means a plus sign")
    func rawPlus() async throws {
        let encoded = tenant.alice.webAuthToken.replacing("/", with: "%2F").replacing("=", with: "%3D")
        let answer = try await send(
            "GET", base + "/public/users/caller", query: ["ckAPIToken=\(tenant.apiToken)", "ckWebAuthToken=\(encoded)"])
        #expect(answer.json["userRecordName"].string == tenant.alice.userRecordName, "\(answer)")
    }
}
