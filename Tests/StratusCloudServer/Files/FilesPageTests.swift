import Foundation
import StratusCloudAssets
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// A cloud, and a browser with a session in which the page of files asks.
struct FilesCloud {
    let cloud: TestCloud
    let session: String
    let token: String

    init(
        quotas: Quotas = Quotas(), rates: RequestRates = RequestRates(), assets: any AssetStore = MemoryAssets()
    ) async throws {
        cloud = try await TestCloud(assets: assets, quotas: quotas, rates: rates)
        (session, token) = try await Self.signIn(cloud, TestCloud.email)
    }

    static func signIn(_ cloud: TestCloud, _ email: String) async throws -> (String, String) {
        let session = try await cloud.service.beginAccountSession(
            email: email, password: TestCloud.password, source: nil)
        let holder = try #require(try await cloud.service.accountHolder(session: session))
        return (session, holder.formToken)
    }

    static func path(_ rest: String, container: String = TestCloud.container) -> String {
        "/files/api/\(container)/production/\(rest)"
    }

    func send(
        _ method: String, _ rest: String, _ headers: [(String, String)] = [], body: String = ""
    ) async throws -> RawResponse {
        try await cloud.client.send(
            method, Self.path(rest),
            headers: [("Cookie", "stratus-account=\(session)"), (FilesHandler.formHeader, token)] + headers, body: body)
    }

    func post(_ act: String, _ body: [String: Any]) async throws -> RawResponse {
        let data = try JSONSerialization.data(withJSONObject: body)
        return try await send("POST", act, body: String(decoding: data, as: UTF8.self))
    }

    /// - Returns: the record name of the item.
    func upload(
        _ name: String, _ content: String, folder: String = "", ifTaken: String = "refuse"
    ) async throws -> String {
        let name = PercentEncoding.encode(name)
        let answer = try await send(
            "PUT", "upload?name=\(name)&folder=\(folder)&ifTaken=\(ifTaken)",
            [("Content-Length", "\(content.utf8.count)")].filter { _ in content.isEmpty }, body: content)
        #expect(answer.status == 200, "\(answer.body)")
        return try #require(answer.json["id"] as? String)
    }

    func folder(_ name: String, in folder: String = "") async throws -> String {
        try #require(try await post("folder", ["name": name, "folder": folder]).json["id"] as? String)
    }

    func names(_ query: String = "") async throws -> [String] {
        let items = try await send("GET", "list?\(query)").json["items"] as? [[String: Any]] ?? []
        return items.compactMap { $0["name"] as? String }
    }

    func archive(_ items: [String], token: String? = nil, headers: [(String, String)] = []) async throws
        -> RawResponse
    {
        try await cloud.client.send(
            "POST", Self.path("archive"),
            headers: [
                ("Cookie", "stratus-account=\(session)"), ("Content-Type", "application/x-www-form-urlencoded"),
            ] + headers, body: "form=\(token ?? self.token)&items=\(items.joined(separator: "%2C"))")
    }

    func stop() async { await cloud.stop() }
}

/// The page of files, without a browser.
@Suite struct FilesPageTests {
    @Test("a request costs as much as all its items together") func costs() async throws {
        let files = try await FilesCloud(rates: RequestRates(perUser: Rate(20, in: 60_000)))
        let items = (0..<FileLimits.itemsPerRequest).map { "item \($0)" }
        #expect(try await files.post("delete", ["items": items]).status == 200)
        #expect(try await files.send("GET", "room").status == 429)
        await files.stop()
    }

    @Test func strangersSeeTheFormAndLearnNothing() async throws {
        let files = try await FilesCloud()
        let id = try await files.upload("secret.txt", "secret")
        let client = files.cloud.client
        let page = try await client.send("GET", "/files/\(TestCloud.container)/production/a%22%3Cb")
        #expect(page.status == 200 && page.body.contains("name=\"password\"") && !page.body.contains("a\"<b"))
        #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        try await files.cloud.service.createAccount(email: "eve@example.org", password: TestCloud.password)
        let (session, token) = try await FilesCloud.signIn(files.cloud, "eve@example.org")
        let eve = [("Cookie", "stratus-account=\(session)"), (FilesHandler.formHeader, token)]
        for path in [
            "list", "deleted", "room", "shared", "published", "items/\(id)", "items/\(id)/content", "items/\(id)/share",
        ] {
            let refused = try await client.send("GET", FilesCloud.path(path))
            #expect(refused.status == 401 && !refused.body.contains("secret"), "\(path)")
            let others = try await client.send("GET", FilesCloud.path(path), headers: eve)
            #expect(!others.body.contains("secret"), "\(path)")
            #expect(!path.contains("items") || others.status == 404, "\(path)")
        }
        #expect(
            try await client.send("GET", FilesCloud.path("list", container: "iCloud.no"), headers: eve).status == 404)
        let taken = try await client.send(
            "POST", FilesCloud.path("delete"), headers: eve, body: "{\"items\": [\"\(id)\"]}")
        #expect(taken.body.contains("NOT_FOUND"))
        #expect(try await files.names() == ["secret.txt"])
        await files.stop()
    }

    /// Forms, links and scripts of other sites, with the cookie that browsers might send along.
    @Test func noOtherSiteCanDoAnything() async throws {
        let files = try await FilesCloud()
        let id = try await files.upload("a.txt", "a")
        let client = files.cloud.client
        let cookie = ("Cookie", "stratus-account=\(files.session)")
        for act in [
            "delete", "folder", "move", "restore", "delete-for-good", "restore-version", "archive", "share/invite",
            "share/permission", "share/remove", "share/access", "share/leave", "share/end", "publish", "unpublish",
        ] {
            let body = "{\"items\": [\"\(id)\"], \"name\": \"evil\"}"
            for headers in [
                [], [(FilesHandler.formHeader, String(files.token.reversed()))],
                [(FilesHandler.formHeader, files.token), ("Origin", "https://evil.example")],
                [(FilesHandler.formHeader, files.token), ("Sec-Fetch-Site", "same-site")],
                [(FilesHandler.formHeader, files.token), ("Sec-Fetch-Site", "none")],
            ] {
                let refused = try await client.send(
                    "POST", FilesCloud.path(act), headers: [cookie] + headers, body: body)
                #expect(refused.status == 403, "\(act) \(headers)")
            }
        }
        let put = try await client.send("PUT", FilesCloud.path("upload?name=evil"), headers: [cookie], body: "evil")
        #expect(put.status == 403)
        #expect(try await files.archive([id], token: "0").status == 403)
        for site in ["cross-site", "same-site"] {
            #expect(try await files.archive([id], headers: [("Sec-Fetch-Site", site)]).status == 403)
            for path in [
                "list", "items/\(id)/content", "items/\(id)/picture", "items/\(id)/share", "shared", "published",
            ] {
                #expect(try await files.send("GET", path, [("Sec-Fetch-Site", site)]).status == 403, "\(path)")
            }
        }
        #expect(try await files.names() == ["a.txt"])
        await files.stop()
    }

    @Test func namesThatAreTakenAreAskedAboutNumberedOrReplaced() async throws {
        let files = try await FilesCloud()
        let id = try await files.upload("report.txt", "one")
        let refused = try await files.send("PUT", "upload?name=REPORT.txt", body: "two")
        #expect(refused.status == 409 && refused.json["error"] as? String == "UNIQUE_FIELD_ERROR")
        let taken = try await files.post("taken", ["names": ["Report.TXT", "free.txt"]])
        #expect((taken.json["taken"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Report.TXT"])
        #expect(try await files.upload("report.txt", "two", ifTaken: "number") != id)
        #expect(try await files.upload("report.txt", "three", ifTaken: "replace") == id)
        #expect(try await files.names() == ["report 2.txt", "report.txt"])
        let item = try await files.send("GET", "items/\(id)").json
        #expect((item["versions"] as? [Any])?.count == 1)
        #expect(try await files.send("GET", "items/\(id)/content?version=1").body == "one")
        #expect(try await files.post("restore-version", ["item": id, "version": "1"]).status == 200)
        #expect(try await files.send("GET", "items/\(id)/content").body == "one")
        #expect(try await files.post("restore-version", ["item": id, "version": "77"]).status == 404)
        // A file does not replace a folder.
        _ = try await files.folder("album")
        #expect(try await files.send("PUT", "upload?name=album&ifTaken=replace", body: "x").status == 409)
        await files.stop()
    }

    @Test func itemsMoveAreDeletedAndComeBack() async throws {
        let files = try await FilesCloud()
        let (a, b) = (try await files.folder("a"), try await files.folder("b"))
        let file = try await files.upload("x.txt", "x", folder: a)
        _ = try await files.upload("x.txt", "other", folder: b)
        let refused = try await files.post("move", ["items": [file], "folder": b])
        #expect(refused.status == 200 && refused.body.contains("UNIQUE_FIELD_ERROR"))
        _ = try await files.post("move", ["items": [file], "folder": b, "ifTaken": "number"])
        #expect(try await files.names("path=b") == ["x 2.txt", "x.txt"])
        #expect(try await files.post("move", ["items": [b], "folder": b]).body.contains("VALIDATING_REFERENCE_ERROR"))
        _ = try await files.post("move", ["items": [file], "folder": "", "name": "y.txt"])
        #expect(try await files.names() == ["a", "b", "y.txt"])
        _ = try await files.post("move", ["items": [file], "folder": b, "name": "x.txt", "ifTaken": "replace"])
        #expect(try await files.names("path=b") == ["x.txt"])
        _ = try await files.post("delete", ["items": [a, b]])
        #expect(try await files.names() == [])
        let deleted = try await files.send("GET", "deleted").json["items"] as? [[String: Any]]
        #expect(deleted?.count == 3)
        _ = try await files.post("restore", ["items": [b]])
        #expect(try await files.names("path=b") == ["x.txt"])
        _ = try await files.post("delete-for-good", ["items": [a]])
        #expect(try await files.send("GET", "items/\(a)").status == 404)
        // What is not deleted is not deleted for good.
        #expect(try await files.post("delete-for-good", ["items": [b]]).body.contains("BAD_REQUEST"))
        await files.stop()
    }

    @Test func foldersAreSortedAndListedPageByPage() async throws {
        let files = try await FilesCloud()
        let count = FileLimits.itemsPerPage + 3
        let (session, _) = (files.session, files.token)
        let holder = try #require(try await files.cloud.service.accountHolder(session: session))
        let caller = try await files.cloud.service.fileCaller(for: holder, in: TestCloud.context(.production))
        for number in 0..<count {
            let changes = FileChanges(
                name: String(format: "f%03d", number), folder: .root, modified: Int64((number * 37) % count))
            _ = try await files.cloud.service.createEmptyFile(changes, as: caller)
        }
        _ = try await files.upload("large", "12345")
        for sort in FileOrder.allCases.map(\.rawValue) {
            for descending in ["0", "1"] {
                var found: [[String: Any]] = []
                var position = ""
                while true {
                    let page = try await files.send("GET", "list?sort=\(sort)&descending=\(descending)\(position)").json
                    found += page["items"] as? [[String: Any]] ?? []
                    guard let next = page["next"] as? [String: Any] else { break }
                    position = "&after=\(next["after"] ?? "")&value=\(next["value"] ?? "")"
                }
                let names = found.compactMap { $0["name"] as? String }
                #expect(Set(names).count == count + 1 && names.count == count + 1, "\(sort) \(descending)")
                let values = found.map {
                    ($0[sort] as? Int).map { String(format: "%020d", $0) } ?? $0[sort] as? String ?? ""
                }
                #expect(values == values.sorted { descending == "1" ? $0 > $1 : $0 < $1 }, "\(sort) \(descending)")
            }
        }
        #expect(try await files.send("GET", "list?sort=color").status == 400)
        #expect(try await files.send("GET", "list?path=nowhere").status == 404)
        #expect(try await files.send("GET", "list?sort=size&after=a&value=b").status == 400)
        await files.stop()
    }

    /// Contents are never shown as what they say they are.
    @Test func contentsOfUsersRunNowhere() async throws {
        let files = try await FilesCloud()
        for name in ["<script>.html", "a.svg", "p.png"] {
            let id = try await files.upload(name, "<script>alert(1)</script>")
            let content = try await files.send("GET", "items/\(id)/content")
            #expect(content["Content-Type"] == "application/octet-stream")
            #expect(content["Content-Disposition"]?.hasPrefix("attachment") == true)
            let picture = try await files.send("GET", "items/\(id)/picture")
            #expect(picture.status == (name == "p.png" ? 200 : 400), "\(name)")
            if picture.status == 200 { #expect(picture["Content-Type"] == "image/png") }
            for answer in [content] + (picture.status == 200 ? [picture] : []) {
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                #expect(answer["Content-Security-Policy"] == "default-src 'none'; sandbox")
                #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin")
            }
        }
        await files.stop()
    }

    @Test func aFullAccountIsToldPlainly() async throws {
        var quotas = Quotas()
        quotas.privateAssets = 10
        let files = try await FilesCloud(quotas: quotas)
        _ = try await files.upload("a", "12345678")
        let refused = try await files.send("PUT", "upload?name=b", body: "12345678")
        #expect(refused.status == 507 && refused.json["error"] as? String == "QUOTA_EXCEEDED")
        #expect(try await files.send("GET", "room").json["available"] as? Int == 2)
        #expect(try await files.names() == ["a"])
        await files.stop()
    }

    @Test func requestsAreBounded() async throws {
        let files = try await FilesCloud()
        let many = (0...FileLimits.itemsPerRequest).map { "\($0)" }
        #expect(try await files.post("delete", ["items": many]).status == 400)
        #expect(try await files.post("delete", ["items": many.dropLast().map { $0 }]).status == 200)
        #expect(try await files.post("delete", ["items": [String]()]).status == 400)
        #expect(try await files.post("taken", ["names": many]).status == 400)
        #expect(try await files.archive(many).status == 400)
        #expect(try await files.archive([]).status == 400)
        #expect(try await files.send("PUT", "list").status == 405)
        #expect(try await files.send("GET", "items/x/run").status == 404)
        for name in ["..", "a/b", String(repeating: "n", count: 256)] {
            let refused = try await files.send("PUT", "upload?name=\(PercentEncoding.encode(name))", body: "x")
            #expect(refused.status == 400, "\(name)")
        }
        await files.stop()
    }
}
