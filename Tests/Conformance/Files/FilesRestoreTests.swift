import Foundation
import StratusTestSupport
import Testing

/// A person's files, and what they gave others of them, on a server that was restored from a backup.
@Suite("Files of a restored server", .serialized)
struct FilesRestoreTests {
    @Test("Files, former contents, published links, shares and backups of devices are as they were")
    func restored() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let access = try await FilesAccess(of: tenant.alice, in: tenant)
        let anybody = tenant.database("private", .none)
        func send(_ method: String, _ path: String, _ text: String = "", to server: String? = nil) async throws
            -> Answer
        {
            var database = anybody
            if let server { database.server = server }
            return try await database.send(
                method, path: path, headers: ["Authorization": access.basic], body: Array(text.utf8))
        }
        let file = "/dav/\(tenant.container)/trip/note.txt"
        #expect(try await send("MKCOL", "/dav/\(tenant.container)/trip").status == 201)
        #expect(try await send("PUT", file, "first").status == 201)
        let (laptop, document) = try await backedUpLaptop(of: tenant.alice.email, in: tenant.cloud)
        let items = try await tenant.privateDatabase.query("StratusFile", zone: "_files").records
        func record(_ name: String) throws -> JSON {
            .string(try #require(items.first { $0["fields"]["name"]["value"].string == name }).name)
        }
        let (folder, note) = (try record("trip"), try record("note.txt"))
        let published = try await tenant.privateDatabase.post("files/publish", ["recordName": note])
        let url = try #require(published.json["publication"]["url"].string)
        let link = try #require(url.firstRange(of: "/published/").map { String(url[$0.lowerBound...]) })
        #expect(try await send("PUT", file, "second").status == 204)
        let invited = try await anybody.send(
            "POST", path: "/files/api/\(tenant.container)/development/share/invite",
            headers: ["Sec-Fetch-Site": "same-origin", "Cookie": access.cookie, "X-Stratus-Form": access.form],
            body: Array(
                JSON.object([
                    "item": folder, "email": .string(tenant.bob.email), "permission": "READ_WRITE",
                ]).text.utf8))
        let guid = try #require(invited.json["link"].string?.split(separator: "/").last.map(String.init), "\(invited)")
        _ = try await tenant.bobsPublicDatabase.link("accept", guid)

        let target = try TemporaryDirectory()
        let backup = target.path + "/backup"
        _ = try await tenant.cloud.tool(["backup", backup])
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
        let data = target.path + "/restored"
        _ = try await Tool.json([
            "restore", backup, "--data", data, "--secret-key", tenant.cloud.directory.path + "/secret.key",
        ])
        let server = try await ServerProcess(data: data)
        #expect(try await send("GET", file, to: server.url).text == "second")
        #expect(try await laptop.isWhole(on: server.url))
        let listed = try await laptop.restic("dump", "latest", document, "--no-lock", server: server.url)
        #expect(listed.ending == .exited(0) && listed.output == "of the laptop", "\(listed)")
        #expect(try await send("GET", link, to: server.url).text == "first")
        var (alice, bob) = (tenant.privateDatabase, tenant.database("shared", tenant.credential(of: tenant.bob)))
        (alice.server, bob.server) = (server.url, server.url)
        let versions = try await alice.lookup([note.string ?? ""], zone: "_files").records.first
        #expect(versions?["fields"]["versions"]["value"].array?.count == 1)
        let place: JSON = ["zoneName": "_files", "ownerRecordName": .string(tenant.alice.userRecordName)]
        let shared = try await bob.post("records/lookup", ["records": [["recordName": note]], "zoneID": place])
        #expect(shared.records.first?["fields"]["name"]["value"] == "note.txt", "\(shared)")
        // The link can still be revoked.
        let id = published.json["publication"]["publicationID"]
        #expect(try await alice.post("files/unpublish", ["publicationID": id]).status == 200)
        #expect(try await send("GET", link, to: server.url).status == 404)
        server.terminate()
        #expect(await server.ending == .exited(0))
    }

    /// Backs up a file with restic.
    private func backedUpLaptop(
        of email: String, in cloud: Cloud
    ) async throws -> (client: BackupClient, document: String) {
        let client = try await BackupClient(of: email, in: cloud)
        let folder = client.home.path + "/documents"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "of the laptop".write(toFile: folder + "/letter.txt", atomically: false, encoding: .utf8)
        let run = try await client.run(
            "backup", folder, "--url", cloud.server.url, "--email", email, "--password-stdin",
            input: client.password + "\n")
        try #require(run.ending == .exited(0), "\(run)")
        return (client, folder + "/letter.txt")
    }
}
