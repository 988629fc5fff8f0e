import StratusCloudModel
import StratusCloudService
import StratusWorkers
import Testing

@testable import StratusCloudServer

/// Uploads over WebDAV during which another client changes the same path.
@Suite struct WebDAVRaceTests {
    private let assets = InterruptedAssets()
    private let dav: WebDAVCloud

    init() async throws { dav = try await WebDAVCloud(assets: assets) }

    /// The status of a `PUT` during which another request is sent, and the status of that one.
    private func put(
        _ path: String, _ body: String, headers: [(String, String)] = [], during method: String, _ other: String,
        _ otherHeaders: [(String, String)] = [], body otherBody: String = ""
    ) async throws -> (status: Int, other: Int?) {
        let (dav, status) = (dav, Lock<Int?>(nil))
        assets.interruptNextUpload {
            let answer = try? await dav.status(method, other, otherHeaders, body: otherBody)
            status.withLock { $0 = answer }
        }
        let own = try await dav.status("PUT", path, headers, body: body)
        return (own, status.withLock { $0 })
    }

    private func caller() async throws -> Caller {
        let service = dav.cloud.service
        let password = try await service.createAppPassword(
            named: "other", in: .development, email: TestCloud.email)
        return try await service.caller(
            for: service.authenticate(email: TestCloud.email, appPassword: password, source: "127.0.0.1"),
            in: TestCloud.context().container)
    }

    @Test("two uploads to a new path make two versions of one file") func twoUploads() async throws {
        let statuses = try await put("a", "later", during: "PUT", "a", body: "earlier")
        #expect(statuses == (204, 201))
        #expect(try await dav.send("GET", "a").body == "later")
        let item = try #require(try await dav.cloud.service.filePlace(at: ["a"], as: caller()).item)
        #expect(item.contentVersion == 2 && item.versions.count == 1)
        await dav.stop()
    }

    @Test("an upload that must create the file is refused if another one was faster") func onlyNew() async throws {
        let statuses = try await put(
            "a", "later", headers: [("If-None-Match", "*")], during: "PUT", "a", body: "earlier")
        #expect(statuses == (412, 201))
        #expect(try await dav.send("GET", "a").body == "earlier")
        await dav.stop()
    }

    @Test("an upload to a file that is deleted meanwhile makes a new file") func deletedFile() async throws {
        #expect(try await dav.status("PUT", "a", body: "first") == 201)
        let statuses = try await put("a", "second", during: "DELETE", "a")
        #expect(statuses == (201, 204))
        #expect(try await dav.send("GET", "a").body == "second")
        let deleted = try await dav.cloud.service.listRecentlyDeletedFiles(as: caller()).items
        #expect(deleted.map(\.name) == ["a"] && deleted.first?.size == 5)
        await dav.stop()
    }

    @Test("an upload into a folder that is deleted meanwhile is refused", arguments: [false, true])
    func deletedFolder(isNew: Bool) async throws {
        for folder in ["d", "d/e"] { #expect(try await dav.status("MKCOL", folder) == 201) }
        if !isNew { #expect(try await dav.status("PUT", "d/e/a", body: "first") == 201) }
        let statuses = try await put("d/e/a", "second", during: "DELETE", "d")
        #expect(statuses == (409, 204))
        await dav.stop()
    }

    @Test("an upload to a file that is moved away meanwhile makes a new file") func movedFile() async throws {
        #expect(try await dav.status("PUT", "a", body: "first") == 201)
        let statuses = try await put("a", "second", during: "MOVE", "a", [dav.destination("b")])
        #expect(statuses == (201, 201))
        #expect(try await dav.send("GET", "a").body == "second")
        #expect(try await dav.send("GET", "b").body == "first")
        await dav.stop()
    }
}
