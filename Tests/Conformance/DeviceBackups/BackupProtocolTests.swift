import Foundation
import StratusCloudCrypto
import StratusHTTPClient
import StratusTestSupport
import Testing

/// `/backup/<device>/` by hand: what restic's REST protocol says, and what attackers try.
@Suite("Backups of devices, by hand")
struct BackupProtocolTests {
    private let client: BackupClient

    init() async throws { client = try await BackupClient(in: try await Cloud.shared()) }

    private static let pack = Array("a pack of data".utf8)
    private static func name(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(bytes)) }

    private func create() async throws {
        #expect(try await client.send("POST", "?create=true").status == 200)
    }

    private func upload(_ bytes: [UInt8] = pack, as kind: String = "data") async throws -> String {
        let name = Self.name(bytes)
        #expect(try await client.send("POST", "\(kind)/\(name)", body: bytes).status == 200)
        return name
    }

    @Test("Files are stored, listed, fetched whole and in parts, and never replaced")
    func files() async throws {
        #expect(try await client.send("HEAD", "config").status == 404)
        #expect(try await client.send("POST", "config", body: [1]).status == 404)
        try await create()
        try await create()
        #expect(try await client.send("POST", "config", body: []).status == 400)
        #expect(try await client.send("POST", "config", body: [1, 2]).status == 200)
        #expect(try await client.send("POST", "config", body: [3, 4]).status == 403)
        #expect(try await client.send("GET", "config").body == [1, 2])
        let empty = try await client.send("GET", "data/")
        #expect(empty.status == 200 && empty.body == Array("[]".utf8))
        #expect(empty.headers["Content-Type"] == "application/vnd.x.restic.rest.v2")
        let name = try await upload()
        // A client that got no answer sends it again.
        _ = try await upload()
        let listed = try JSON(parsing: try await client.send("GET", "data/").body)
        #expect(listed == [["name": .string(name), "size": .number("\(Self.pack.count)")]])
        let head = try await client.send("HEAD", "data/\(name)")
        #expect(head.status == 200 && head.headers["Content-Length"] == "\(Self.pack.count)" && head.body.isEmpty)
        let whole = try await client.send("GET", "data/\(name)")
        #expect(whole.status == 200 && whole.body == Self.pack)
        let part = try await client.send("GET", "data/\(name)", headers: ["Range": "bytes=2-5"])
        #expect(part.status == 206 && part.body == Array(Self.pack[2...5]))
        #expect(try await client.send("GET", "data/\(name)", headers: ["Range": "bytes=99-"]).status == 416)
        #expect(try await client.send("GET", "index/\(name)").status == 404)
        let old = ["Accept": "application/vnd.x.restic.rest.v1"] as HTTPHeaders
        #expect(try await client.send("GET", "data/", headers: old).status == 400)
    }

    /// Threat: a program that was taken over destroys what was backed up before.
    @Test("An app password deletes locks and nothing else, unless it was made with that right")
    func appendOnly() async throws {
        try await create()
        _ = try await client.send("POST", "config", body: [1, 2])
        var names: [String: String] = [:]
        for kind in ["data", "index", "keys", "snapshots", "locks"] {
            names[kind] = try await upload(Array(kind.utf8), as: kind)
        }
        for (kind, name) in names {
            let status = try await client.send("DELETE", "\(kind)/\(name)").status
            #expect(status == (kind == "locks" ? 200 : 403), "\(kind)")
            #expect(try await client.send("HEAD", "\(kind)/\(name)").status == (kind == "locks" ? 404 : 200))
        }
        #expect(try await client.send("DELETE", "config").status == 403)
        // Deleting is the same the second time.
        #expect(try await client.send("DELETE", "locks/\(try #require(names["locks"]))").status == 200)
        let other = try await BackupClient(of: client.email, in: client.cloud, mayDelete: true)
        #expect(try await other.send("DELETE", "data/\(try #require(names["data"]))").status == 200)
        #expect(try await client.send("HEAD", "data/\(try #require(names["data"]))").status == 404)
    }

    /// Threats: wrong bytes under a name, names that lead elsewhere, methods that are not the protocol's.
    @Test("Bytes that are not what their name says, and paths that are none, are refused")
    func namesAndPaths() async throws {
        try await create()
        let name = Self.name(Self.pack)
        #expect(try await client.send("POST", "data/\(name)", body: Self.pack + [0]).status == 400)
        #expect(try await client.send("HEAD", "data/\(name)").status == 404)
        for path in [
            "data/\(name.uppercased())", "data/\(name)x", "data/\(name.dropLast())", "data/%2e%2e",
            "data/..%2f..%2fsecret", "other/\(name)", "config/\(name)", "data/\(name)/\(name)", "data/%00",
        ] {
            for method in ["GET", "POST", "DELETE"] {
                let answer = try await client.send(method, path, body: method == "POST" ? Self.pack : [])
                #expect([400, 404, 405].contains(answer.status), "\(method) \(path): \(answer.status)")
            }
        }
        for device in ["..", ".hidden", "-x", "a/b%2f", "%2e%2e%2f", String(repeating: "a", count: 65), "ä"] {
            let text = device.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.union(["%"])) ?? device
            let answer = try await client.send(
                "POST", "\(text)/?create=true", credentials: (client.email, client.password))
            #expect([400, 404, 405].contains(answer.status), "\(device): \(answer.status)")
        }
        #expect(try await client.send("PUT", "data/\(name)", body: Self.pack).status == 405)
        #expect(try await client.send("DELETE", "").status == 405)
        #expect(try await client.send("POST", "").status == 400)
        let listed = try await client.send("GET", "data/")
        #expect(listed.body == Array("[]".utf8))
    }

    /// Threat: a body of any size fills the memory or the disk.
    @Test("Bodies beyond the bound of their kind are refused")
    func sizes() async throws {
        try await create()
        let large = [UInt8](repeating: 7, count: 65_537)
        for path in ["keys/\(Self.name(large))", "locks/\(Self.name(large))", "config"] {
            #expect(try await client.send("POST", path, body: large).status == 413, "\(path)")
            #expect(try await client.send("HEAD", path).status == 404)
        }
        let largest = Array(large.dropLast())
        #expect(try await client.send("POST", "keys/\(Self.name(largest))", body: largest).status == 200)
        #expect(try await client.send("POST", "index/\(Self.name(large))", body: large).status == 200)
    }

    /// Threats: somebody else's backups, with an app password, a password or a token of one's own.
    @Test("A backup opens for its own person's app passwords only")
    func credentials() async throws {
        try await create()
        let name = try await upload()
        let path = "\(client.device)/data/\(name)"
        let eve = try await BackupClient(in: client.cloud)
        #expect(try await eve.send("GET", "data/\(name)").status == 404)
        let wrong: [(email: String, password: String)?] = [
            nil, (client.email, eve.password), (eve.email, client.password), (client.email, "correct horse"),
            (client.email, ""), ("", client.password),
        ]
        for credentials in wrong {
            for method in ["GET", "DELETE"] {
                let answer = try await client.send(method, path, credentials: credentials)
                #expect(answer.status == 401)
                #expect(
                    answer.headers["WWW-Authenticate"] == "Basic realm=\"Stratus\", charset=\"UTF-8\"")
            }
        }
        let again = try await client.send("GET", path, credentials: (client.email.uppercased(), client.password))
        #expect(again.status == 200)
        for headers in [["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"]] as [HTTPHeaders] {
            let answer = try await client.send(
                "GET", path, headers: headers, credentials: (client.email, client.password))
            #expect(answer.status == 403)
        }
        for headers in [["Authorization": "Basic ???"], ["Authorization": "Bearer abc"]] as [HTTPHeaders] {
            #expect(try await client.send("GET", path, headers: headers, credentials: nil).status == 401)
        }
    }

    /// Threat: an app password opens more than backups and files.
    @Test("An app password opens nothing else, and ends at once")
    func nothingElse() async throws {
        try await create()
        let cloud = client.cloud
        let tenant = try await Tenant(in: cloud)
        let password = try await BackupClient.appPassword(of: tenant.alice.email, in: cloud)
        let database = tenant.database("private", .user(apiToken: tenant.apiToken, webAuthToken: password))
        #expect(try await database.get("users/caller").status == 421)
        let form = ["Content-Type": "application/x-www-form-urlencoded"] as HTTPHeaders
        let fields = "action=sign-in&email=\(tenant.alice.email)&password=\(password)"
        let page = try await tenant.publicDatabase.send(
            "POST", path: "/account", headers: form, body: Array(fields.utf8))
        #expect(page.status == 401)
        let listed = try await cloud.tool(["account", "app-password", "list", "--email", client.email])
        let name = try #require(listed["appPasswords"][0]["name"].string)
        #expect(listed["appPasswords"][0]["environment"] == "development")
        #expect(listed["appPasswords"][0]["lastUsed"].int != nil)
        #expect(!"\(listed)".contains(client.password))
        _ = try await cloud.tool(["account", "app-password", "delete", "--email", client.email, "--name", name])
        #expect(try await client.send("GET", "data/").status == 401)
    }

    @Test("What a person asks for names their app passwords and backups")
    func export() async throws {
        try await create()
        _ = try await upload()
        let folder = try TemporaryDirectory()
        _ = try await client.cloud.tool(["user", "export", client.email, "--output", "\(folder.path)/ada"])
        let text = try String(contentsOfFile: "\(folder.path)/ada/account.json", encoding: .utf8)
        let account = try JSON(parsing: text)
        #expect(account["deviceBackups"][0]["device"] == "laptop")
        #expect(account["deviceBackups"][0]["bytes"].int == Int64(Self.pack.count))
        #expect(account["appPasswords"].array?.count == 1 && !text.contains(client.password))
    }

    /// Threat: guessing.
    @Test("Wrong app passwords are refused unseen after ten, and a right one is not")
    func guessing() async throws {
        try await create()
        var statuses: [Int] = []
        for number in 0..<11 {
            let answer = try await client.send(
                "GET", "\(client.device)/data/", credentials: (client.email, "guess \(number)"))
            statuses.append(answer.status)
        }
        #expect(statuses == Array(repeating: 401, count: 10) + [429])
        #expect(try await client.send("GET", "data/").status == 200)
    }
}
