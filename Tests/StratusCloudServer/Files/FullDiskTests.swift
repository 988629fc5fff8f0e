import StratusCloudModel
import Testing

@testable import StratusCloudServer

/// Uploads while the server's disk is full: they are refused for the time being, and leave nothing behind.
@Suite struct FullDiskTests {
    private let assets = FillingAssets()

    @Test("a file over WebDAV stays as it was, can be read, and is replaced when there is room again")
    func webDAV() async throws {
        let dav = try await WebDAVCloud(assets: assets)
        #expect(try await dav.status("PUT", "old", body: "first") == 201)
        let files = assets.base.files.count
        assets.isFull = true
        for name in ["old", "new"] {
            let refused = try await dav.send("PUT", name, body: "second")
            #expect(refused.status == 503 && refused["Retry-After"] != nil)
        }
        #expect(try await dav.send("GET", "old").body == "first")
        #expect(try await dav.status("GET", "new") == 404)
        #expect(assets.base.files.count == files)
        assets.isFull = false
        #expect(try await dav.status("PUT", "old", body: "second") == 204)
        #expect(try await dav.status("PUT", "new", body: "second") == 201)
        #expect(try await dav.send("GET", "old").body == "second")
        await dav.stop()
    }

    @Test("the page of files makes no half file") func page() async throws {
        let files = try await FilesCloud(assets: assets)
        _ = try await files.upload("old", "first")
        let stored = assets.base.files.count
        assets.isFull = true
        for (name, ifTaken) in [("old", "replace"), ("new", "refuse")] {
            let refused = try await files.send("PUT", "upload?name=\(name)&ifTaken=\(ifTaken)", body: "second")
            #expect(refused.status == 503)
        }
        #expect(try await files.names() == ["old"])
        #expect(assets.base.files.count == stored)
        assets.isFull = false
        let id = try await files.upload("old", "second", ifTaken: "replace")
        #expect(try await files.send("GET", "items/\(id)/content").body == "second")
        await files.stop()
    }

    @Test("a backup gets no half file") func backup() async throws {
        let dav = try await WebDAVCloud(assets: assets)
        func send(_ method: String, _ path: String, _ body: String = "") async throws -> RawResponse {
            try await dav.cloud.client.send(
                method, "/backup/laptop/\(path)", headers: [("Authorization", dav.credentials)], body: body)
        }
        #expect(try await send("POST", "?create=true").status == 200)
        assets.isFull = true
        #expect(try await send("POST", "config", "of the laptop").status == 503)
        #expect(try await send("HEAD", "config").status == 404)
        #expect(assets.base.files.isEmpty)
        assets.isFull = false
        #expect(try await send("POST", "config", "of the laptop").status == 200)
        #expect(try await send("GET", "config").body == "of the laptop")
        await dav.stop()
    }
}
