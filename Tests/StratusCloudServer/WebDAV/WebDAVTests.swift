import Foundation
import StratusCloudAssets
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusHTTPTransport
import StratusWebDAV
import Testing

@testable import StratusCloudServer

/// A cloud with an app password for the files of a person.
struct WebDAVCloud {
    let cloud: TestCloud
    let credentials: String

    init(
        quotas: Quotas = Quotas(), environment: CloudEnvironment = .development,
        store: any CloudStore = MemoryStore(), assets: any AssetStore = MemoryAssets()
    ) async throws {
        cloud = try await TestCloud(store: store, assets: assets, quotas: quotas)
        let password = try await cloud.service.createAppPassword(
            named: "files", in: environment, email: TestCloud.email)
        credentials = Self.basic(TestCloud.email, password)
    }

    static func basic(_ email: String, _ password: String) -> String {
        "Basic " + Base64.string(Array("\(email):\(password)".utf8))
    }

    static func path(_ rest: String) -> String { "/dav/\(TestCloud.container)/\(rest)" }

    func send(
        _ method: String, _ rest: String, _ headers: [(String, String)] = [], body: String = ""
    ) async throws -> RawResponse {
        try await cloud.client.send(
            method, Self.path(rest), headers: [("Authorization", credentials)] + headers, body: body)
    }

    /// The status of a request.
    func status(
        _ method: String, _ rest: String, _ headers: [(String, String)] = [], body: String = ""
    ) async throws -> Int {
        try await send(method, rest, headers, body: body).status
    }

    func destination(_ rest: String) -> (String, String) { ("Destination", Self.path(rest)) }

    func stop() async { await cloud.stop() }
}

/// WebDAV as its clients use it.
@Suite struct WebDAVTests {
    private static let lock =
        #"<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>"#
        + #"<D:locktype><D:write/></D:locktype><D:owner>me</D:owner></D:lockinfo>"#

    @Test func optionsNeedNoSignIn() async throws {
        let dav = try await WebDAVCloud()
        let response = try await dav.cloud.client.send("OPTIONS", WebDAVCloud.path(""))
        #expect(response.status == 200 && response["DAV"] == "1, 2" && response["MS-Author-Via"] == "DAV")
        #expect(response["Allow"]?.contains("PROPFIND") == true)
        await dav.stop()
    }

    @Test func strangersLearnNothing() async throws {
        let dav = try await WebDAVCloud()
        #expect(try await dav.status("PUT", "secret.txt", body: "secret") == 201)
        try await dav.cloud.service.createAccount(email: "eve@example.org", password: "correct horse battery")
        let eve = try await dav.cloud.service.createAppPassword(
            named: "files", in: .development, email: "eve@example.org")
        func send(_ method: String, _ rest: String, _ credentials: String?) async throws -> RawResponse {
            try await dav.cloud.client.send(
                method, WebDAVCloud.path(rest), headers: credentials.map { [("Authorization", $0)] } ?? [])
        }
        let refused: [String?] = [
            nil, "Basic", "Bearer x", WebDAVCloud.basic(TestCloud.email, "wrong"),
            WebDAVCloud.basic(TestCloud.email, TestCloud.password), WebDAVCloud.basic(TestCloud.email, eve),
        ]
        for credentials in refused {
            for method in [
                "GET", "HEAD", "PROPFIND", "PUT", "DELETE", "MKCOL", "LOCK", "UNLOCK", "MOVE", "COPY", "PROPPATCH",
            ] {
                let response = try await send(method, "secret.txt", credentials)
                #expect(response.status == 401 || response.status == 429, "\(method)")
                #expect(!response.body.contains("secret."))
                if response.status == 401 { #expect(response["WWW-Authenticate"]?.hasPrefix("Basic ") == true) }
            }
        }
        // Her own password shows her own files, of which there are none.
        let own = WebDAVCloud.basic("eve@example.org", eve)
        #expect(try await send("GET", "secret.txt", own).status == 404)
        #expect(try await send("DELETE", "secret.txt", own).status == 404)
        let listing = try await dav.cloud.client.send(
            "PROPFIND", WebDAVCloud.path(""), headers: [("Authorization", own), ("Depth", "1")])
        #expect(listing.status == 207 && !listing.body.contains("secret"))
        #expect(try await dav.send("GET", "secret.txt").body == "secret")
        await dav.stop()
    }

    @Test func anAppPasswordShowsTheFilesOfItsEnvironment() async throws {
        let dav = try await WebDAVCloud()
        let production = try await dav.cloud.service.createAppPassword(
            named: "production", in: .production, email: TestCloud.email)
        #expect(try await dav.status("PUT", "a", body: "development") == 201)
        let other = [("Authorization", WebDAVCloud.basic(TestCloud.email, production))]
        #expect(try await dav.cloud.client.send("GET", WebDAVCloud.path("a"), headers: other).status == 404)
        let missing = try await dav.cloud.client.send("PROPFIND", "/dav/iCloud.none/", headers: other)
        #expect(missing.status == 404)
        await dav.stop()
    }

    @Test func aFileIsWrittenReadAndReplaced() async throws {
        let dav = try await WebDAVCloud()
        let made = try await dav.send("PUT", "b%C3%A4r%20%26.txt", body: "0123456789")
        #expect(made.status == 201)
        let tag = try #require(made["ETag"])
        let whole = try await dav.send("GET", "b%C3%A4r%20%26.txt")
        #expect(whole.status == 200 && whole.body == "0123456789" && whole["ETag"] == tag)
        #expect(
            whole["Content-Disposition"]?.hasPrefix("attachment") == true
                && whole["X-Content-Type-Options"] == "nosniff")
        let part = try await dav.send("GET", "b%C3%A4r%20%26.txt", [("Range", "bytes=2-4")])
        #expect(part.status == 206 && part.body == "234" && part["Content-Range"] == "bytes 2-4/10")
        #expect(try await dav.status("GET", "b%C3%A4r%20%26.txt", [("If-None-Match", tag)]) == 304)
        #expect(try await dav.status("PUT", "B%C3%84R%20%26.TXT", body: "new") == 204)
        #expect(try await dav.status("PUT", "b%C3%A4r%20%26.txt", [("If-Match", tag)], body: "stale") == 412)
        #expect(try await dav.status("PUT", "b%C3%A4r%20%26.txt", [("If-None-Match", "*")], body: "x") == 412)
        #expect(try await dav.send("GET", "b%C3%A4r%20%26.txt").body == "new")
        #expect(try await dav.status("PUT", "none/a", body: "x") == 409)
        #expect(try await dav.status("PUT", "a", [("Content-Range", "bytes 0-0/5")], body: "x") == 400)
        #expect(try await dav.status("DELETE", "b%C3%A4r%20%26.txt") == 204)
        #expect(try await dav.status("GET", "b%C3%A4r%20%26.txt") == 404)
        await dav.stop()
    }

    @Test(arguments: [
        "..", "%2e%2e", "a/../b", "%00", "a%00b", "a%2Fb", "%0A", ".", String(repeating: "a", count: 256), "%FF",
    ])
    func namesThatAreNoneAreRefused(name: String) async throws {
        let dav = try await WebDAVCloud()
        for method in ["PUT", "MKCOL", "GET", "DELETE"] {
            #expect(try await dav.status(method, name) == 400, "\(method)")
        }
        #expect(try await dav.status("PUT", "a", body: "x") == 201)
        #expect(try await dav.status("MOVE", "a", [dav.destination(name)]) == 400)
        let listing = try await dav.send("PROPFIND", "", [("Depth", "1")])
        #expect(listing.body.components(separatedBy: "<D:response>").count == 3)
        await dav.stop()
    }

    @Test func tenThousandLevelsAreRefused() async throws {
        let dav = try await WebDAVCloud()
        let deep = Array(repeating: "a", count: 10_000).joined(separator: "/")
        #expect(try await dav.status("PUT", "file", body: "x") == 201)
        for method in ["PUT", "MKCOL", "PROPFIND", "DELETE"] {
            let status = try await dav.status(method, deep, [("Depth", "0")])
            #expect([400, 414].contains(status), "\(method): \(status)")
        }
        for method in ["MOVE", "COPY"] {
            let status = try await dav.status(method, "file", [dav.destination(deep)])
            #expect([400, 431].contains(status), "\(method): \(status)")
        }
        let condition = "<\(WebDAVCloud.path(deep))> ([\"tag\"])"
        let status = try await dav.status("DELETE", "file", [("If", condition)])
        #expect([400, 412, 431].contains(status), "\(status)")
        #expect(try await dav.send("GET", "file").body == "x")
        await dav.stop()
    }

    @Test func infiniteDepthIsRefused() async throws {
        let dav = try await WebDAVCloud()
        for headers in [[("Depth", "infinity")], []] {
            let response = try await dav.send("PROPFIND", "", headers)
            #expect(response.status == 403 && response.body.contains("propfind-finite-depth"))
        }
        #expect(try await dav.status("PROPFIND", "", [("Depth", "2")]) == 400)
        await dav.stop()
    }

    @Test func entitiesAreNotExpanded() async throws {
        let dav = try await WebDAVCloud()
        let bomb =
            #"<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">"#
            + #"<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>"#
            + #"<D:propfind xmlns:D="DAV:"><D:prop><D:x>&c;</D:x></D:prop></D:propfind>"#
        for method in ["PROPFIND", "PROPPATCH", "LOCK"] {
            #expect(try await dav.status(method, "", [("Depth", "0")], body: bomb) == 400, "\(method)")
        }
        let large = String(repeating: " ", count: WebDAVLimits.bodySize + 1)
        #expect(try await dav.status("PROPFIND", "", [("Depth", "0")], body: large) == 413)
        await dav.stop()
    }

    @Test func aLargeFolderIsListedWhole() async throws {
        let dav = try await WebDAVCloud()
        let count = FileLimits.itemsPerPage + 7
        let session = try await dav.cloud.service.createSession(email: TestCloud.email, context: TestCloud.context())
        for start in stride(from: 0, to: count, by: 200) {
            let operations = (start..<min(start + 200, count)).map { number -> String in
                #"{"operationType":"create","record":{"recordName":"r\#(number)","recordType":"StratusFile","#
                    + #""fields":{"name":{"value":"n\#(number)"},"kind":{"value":"folder"}}}}"#
            }
            let body = #"{"zoneID":{"zoneName":"_files"},"operations":[\#(operations.joined(separator: ","))]}"#
            let response = try await dav.cloud.call(
                "POST", "private/records/modify", token: session.webAuthToken, body: body)
            #expect(response.status == 200 && !response.body.contains("serverErrorCode"))
        }
        let listing = try await dav.send("PROPFIND", "", [("Depth", "1")])
        #expect(listing.status == 207 && listing["Transfer-Encoding"] == "chunked")
        #expect(listing.body.components(separatedBy: "<D:response>").count == count + 2)
        #expect(listing.body.contains("</D:multistatus>"))
        await dav.stop()
    }

    @Test func webServicesSeeTheFilesAndCannotBreakTheirRules() async throws {
        let dav = try await WebDAVCloud()
        #expect(try await dav.status("MKCOL", "d") == 201)
        #expect(try await dav.status("PUT", "d/a.txt", body: "hello") == 201)
        let token = try await dav.cloud.webAuthToken()
        func call(_ path: String, _ body: String) async throws -> RawResponse {
            try await dav.cloud.call("POST", path, token: token, body: body)
        }
        let changes = try await call("private/changes/zone", #"{"zones":[{"zoneID":{"zoneName":"_files"}}]}"#)
        #expect(changes.body.contains("a.txt") && changes.body.contains(#""contentVersion""#))
        let query = try await call(
            "private/records/query", #"{"zoneID":{"zoneName":"_files"},"query":{"recordType":"StratusFile"}}"#)
        let records = try #require(query.json["records"] as? [[String: Any]])
        let file = try #require(
            records.first {
                ((($0["fields"] as? [String: Any])?["name"] as? [String: Any])?["value"] as? String) == "a.txt"
            })
        let name = try #require(file["recordName"] as? String)
        func modify(_ operation: String) async throws -> RawResponse {
            try await call("private/records/modify", #"{"zoneID":{"zoneName":"_files"},"operations":[\#(operation)]}"#)
        }
        let twin = try await modify(
            #"{"operationType":"create","record":{"recordName":"t","recordType":"StratusFile","#
                + #""fields":{"name":{"value":"D"},"kind":{"value":"file"}}}}"#
        )
        #expect(twin.body.contains("UNIQUE_FIELD_ERROR"))
        let deletion = try await modify(#"{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}"#)
        #expect(deletion.body.contains("BAD_REQUEST"))
        let renamed = try await modify(
            #"{"operationType":"forceUpdate","record":{"recordName":"\#(name)","recordType":"StratusFile","#
                + #""fields":{"name":{"value":"b.txt"}}}}"#
        )
        #expect(!renamed.body.contains("serverErrorCode"))
        #expect(try await dav.send("GET", "d/b.txt").body == "hello")
        let removed = try await modify(
            #"{"operationType":"forceUpdate","record":{"recordName":"\#(name)","recordType":"StratusFile","#
                + #""fields":{"deleted":{"value":1}}}}"#
        )
        #expect(!removed.body.contains("serverErrorCode"))
        #expect(try await dav.status("GET", "d/b.txt") == 404)
        let zone = try await call(
            "private/zones/modify",
            #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"_files"}}}]}"#)
        #expect(zone.body.contains("serverErrorCode"))
        #expect(try await dav.status("PROPFIND", "d", [("Depth", "0")]) == 207)
        await dav.stop()
    }

    @Test func aSymbolicLinkIsNeverFollowed() async throws {
        let dav = try await WebDAVCloud()
        #expect(try await dav.status("PUT", "secret", body: "secret") == 201)
        let caller = try await dav.cloud.service.caller(
            for: dav.cloud.service.authenticate(
                email: TestCloud.email,
                appPassword: try await dav.cloud.service.createAppPassword(
                    named: "other", in: .development, email: TestCloud.email), source: "127.0.0.1"),
            in: TestCloud.context().container)
        _ = try await dav.cloud.service.createLink(FileChanges(name: "l", folder: .root), to: "secret", as: caller)
        #expect(try await dav.send("GET", "l").body == "secret", "the name that it points to")
        #expect(try await dav.status("PUT", "l", body: "x") == 409)
        #expect(try await dav.status("GET", "l/a") == 404)
        #expect(try await dav.status("COPY", "l", [dav.destination("m")]) == 201)
        #expect(try await dav.status("DELETE", "l") == 204)
        #expect(try await dav.send("GET", "secret").body == "secret")
        await dav.stop()
    }

    @Test func movesAndCopies() async throws {
        let dav = try await WebDAVCloud()
        for path in ["d", "d/e"] { #expect(try await dav.status("MKCOL", path) == 201) }
        #expect(try await dav.status("PUT", "d/e/a", body: "a") == 201)
        #expect(try await dav.status("MOVE", "d", [dav.destination("d/e/f")]) == 409, "into itself")
        #expect(try await dav.status("MOVE", "d", [dav.destination("D")]) == 201, "another spelling of its name")
        #expect(try await dav.status("MOVE", "D", [("Destination", "http://other.example/dav/x")]) == 502)
        #expect(try await dav.status("MOVE", "D", [("Destination", "/dav/iCloud.other/x")]) == 502)
        #expect(try await dav.status("COPY", "D", [dav.destination("c")]) == 201)
        #expect(try await dav.status("COPY", "D", [dav.destination("c"), ("Overwrite", "F")]) == 412)
        #expect(try await dav.status("COPY", "D", [dav.destination("c"), ("Depth", "0")]) == 204)
        #expect(try await dav.status("GET", "c/e/a") == 404)
        #expect(try await dav.status("MOVE", "D", [dav.destination("c")]) == 204)
        #expect(try await dav.send("GET", "c/e/a").body == "a")
        #expect(try await dav.status("MOVE", "", [dav.destination("x")]) == 403)
        #expect(try await dav.status("DELETE", "") == 403)
        await dav.stop()
    }

    @Test(arguments: ["DELETE", "MOVE", "COPY", "PROPPATCH"])
    func conditionsHoldForEveryChange(method: String) async throws {
        let dav = try await WebDAVCloud()
        let tag = try #require(try await dav.send("PUT", "a", body: "x")["ETag"])
        let body =
            method == "PROPPATCH"
            ? #"<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><c xmlns="urn:c">1</c></D:prop></D:set>"#
                + "</D:propertyupdate>" : ""
        func status(_ name: String, _ value: String) async throws -> Int {
            try await dav.status(method, "a", [dav.destination("b"), (name, value)], body: body)
        }
        for (name, value) in [("If-Match", "\"other\""), ("If-None-Match", tag), ("If-None-Match", "*")] {
            #expect(try await status(name, value) == 412, "\(name): \(value)")
        }
        #expect(try await dav.send("GET", "a").body == "x")
        #expect(try await dav.status("GET", "b") == 404)
        #expect(try await (200..<300).contains(status("If-Match", tag)))
        await dav.stop()
    }

    @Test func locksKeepOthersOutUntilTheyExpire() async throws {
        let dav = try await WebDAVCloud()
        let locked = try await dav.send("LOCK", "a", [("Timeout", "Second-600")], body: Self.lock)
        #expect(locked.status == 201 && locked.body.contains("<D:timeout>Second-600</D:timeout>"))
        let token = try #require(locked["Lock-Token"])
        #expect(try await dav.status("PUT", "a", body: "x") == 423)
        #expect(try await dav.status("DELETE", "A") == 423, "another spelling of the name")
        #expect(try await dav.status("PUT", "a", [("If", "(\(token))")], body: "x") == 204)
        #expect(try await dav.status("LOCK", "a", body: Self.lock) == 423)
        #expect(try await dav.status("LOCK", "a", [("If", "(\(token))")]) == 200)
        #expect(try await dav.status("UNLOCK", "a", [("Lock-Token", "<urn:x>")]) == 409)
        dav.cloud.advance(minutes: 61)
        #expect(try await dav.status("PUT", "a", [("If", "(\(token))")], body: "y") == 412)
        #expect(try await dav.status("PUT", "a", body: "y") == 204)
        await dav.stop()
    }

    @Test func quotasAreTold() async throws {
        let dav = try await WebDAVCloud(quotas: Quotas(privateAssets: 100))
        #expect(try await dav.status("PUT", "a", body: String(repeating: "a", count: 60)) == 201)
        let over = try await dav.send("PUT", "a", body: String(repeating: "b", count: 60))
        #expect(over.status == 507 && over.body.contains("quota-not-exceeded"))
        #expect(try await dav.send("GET", "a").body == String(repeating: "a", count: 60))
        let body =
            #"<D:propfind xmlns:D="DAV:"><D:prop><D:quota-available-bytes/><D:quota-used-bytes/></D:prop></D:propfind>"#
        let quota = try await dav.send("PROPFIND", "", [("Depth", "0")], body: body)
        #expect(quota.body.contains("<D:quota-available-bytes>40</D:quota-available-bytes>"))
        #expect(quota.body.contains("<D:quota-used-bytes>60</D:quota-used-bytes>"))
        await dav.stop()
    }

    @Test func propertiesAreKept() async throws {
        let dav = try await WebDAVCloud()
        #expect(try await dav.status("PUT", "a", body: "x") == 201)
        func patch(_ properties: String) async throws -> RawResponse {
            try await dav.send(
                "PROPPATCH", "a",
                body:
                    #"<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>\#(properties)</D:prop></D:set>"#
                    + "</D:propertyupdate>"
            )
        }
        #expect(try await patch(#"<c xmlns="urn:c">&lt;red&gt;</c>"#).body.contains("200 OK"))
        let protected = try await patch(#"<c xmlns="urn:c">blue</c><D:getetag>x</D:getetag>"#)
        #expect(protected.body.contains("403 Forbidden") && protected.body.contains("424 Failed Dependency"))
        _ = try await patch(#"<e:executable xmlns:e="http://apache.org/dav/props/">T</e:executable>"#)
        let all = try await dav.send("PROPFIND", "a", [("Depth", "0")])
        #expect(all.body.contains("&lt;red&gt;") && !all.body.contains("blue"))
        #expect(all.body.contains(">T</x:executable>"))
        let large = String(repeating: "x", count: 10_000)
        for number in 0..<2 { _ = try await patch(#"<c\#(number) xmlns="urn:c">\#(large)</c\#(number)>"#) }
        let names = try await dav.send(
            "PROPFIND", "a", [("Depth", "0")], body: #"<propfind xmlns="DAV:"><propname/></propfind>"#)
        #expect(names.body.contains("c0") && !names.body.contains("c1"), "there is a limit")
        await dav.stop()
    }

    @Test func credentialsHaveALimitedLength() async throws {
        func headers(_ size: Int) -> HTTPHeaders {
            HTTPHeaders([("Authorization", WebDAVCloud.basic(String(repeating: "e", count: size), "p"))])
        }
        func length(_ size: Int) -> Int { headers(size)["Authorization"]?.utf8.count ?? 0 }
        // Base64 grows by four bytes for three.
        let longest = try #require((700..<800).last { length($0) <= ServerLimits.basicCredentialsLength })
        #expect(BasicSignIn.credentials(headers(longest))?.email.utf8.count == longest)
        #expect(BasicSignIn.credentials(headers(longest + 1)) == nil)
        let dav = try await WebDAVCloud()
        let long = try #require(headers(longest + 1)["Authorization"])
        let refused = try await dav.cloud.client.send(
            "PROPFIND", WebDAVCloud.path(""), headers: [("Authorization", long)])
        #expect(refused.status == 401)
        await dav.stop()
    }

    @Test func aLockOfALongOwnerIsRefusedAndNotTaken() async throws {
        let dav = try await WebDAVCloud()
        let long = Self.lock.replacingOccurrences(
            of: ">me<", with: ">\(String(repeating: "o", count: WebDAVLimits.lockOwnerSize + 1))<")
        let refused = try await dav.send("LOCK", "a", body: long)
        #expect(refused.status == 400 && refused.body.contains("\(WebDAVLimits.lockOwnerSize) bytes"))
        #expect(try await dav.status("GET", "a") == 404)
        #expect(try await dav.status("PUT", "a", body: "x") == 201)
        await dav.stop()
    }

    /// A bomb of moves: each is a change of one record, and a loop is none whatever the order.
    @Test func foldersAreNotMovedIntoEachOther() async throws {
        let dav = try await WebDAVCloud()
        for path in ["a", "b", "a/c"] { #expect(try await dav.status("MKCOL", path) == 201) }
        async let one = dav.status("MOVE", "a", [dav.destination("b/a")])
        async let other = dav.status("MOVE", "b", [dav.destination("a/b")])
        let statuses = try await [one, other]
        #expect(statuses.count { $0 == 201 } == 1, "\(statuses)")
        #expect(try await dav.status("MOVE", "a/c", [dav.destination("a/c/d")]) >= 400)
        let deep = try await dav.send("PROPFIND", "", [("Depth", "1")])
        #expect(deep.status == 207 && deep.body.components(separatedBy: "<D:response>").count == 3)
        await dav.stop()
    }
}
