import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Sharing and publishing from the page of files, as two people do it.
@Suite struct FilesSharingTests {
    /// The session of another person in the same cloud.
    private struct Guest {
        let files: FilesCloud
        let (session, token): (String, String)

        init(_ files: FilesCloud, _ email: String = "eve@example.org") async throws {
            self.files = files
            try await files.cloud.service.createAccount(email: email, password: TestCloud.password)
            (session, token) = try await FilesCloud.signIn(files.cloud, email)
        }

        func send(_ method: String, _ rest: String, _ body: String = "") async throws -> RawResponse {
            try await files.cloud.client.send(
                method, FilesCloud.path(rest),
                headers: [("Cookie", "stratus-account=\(session)"), (FilesHandler.formHeader, token)], body: body)
        }

        func post(_ act: String, _ body: [String: Any]) async throws -> RawResponse {
            let data = try JSONSerialization.data(withJSONObject: body)
            return try await send("POST", act, String(decoding: data, as: UTF8.self))
        }

        /// Joins the share of an answer as its page does.
        func join(_ share: RawResponse) async throws {
            let link = try #require(share.json["link"] as? String)
            let service = files.cloud.service
            let holder = try #require(try await service.accountHolder(session: session))
            let caller = try await service.fileCaller(for: holder, in: TestCloud.context(.production))
            try await service.joinShare(String(link.split(separator: "/").last ?? ""), as: caller)
        }

        func shared() async throws -> [[String: Any]] {
            try await send("GET", "shared").json["items"] as? [[String: Any]] ?? []
        }
    }

    private func participants(_ answer: RawResponse) -> [[String: Any]] {
        (answer.json["participants"] as? [[String: Any]] ?? []).filter { $0["role"] as? String != "OWNER" }
    }

    @Test func aFolderIsSharedUsedAndLeft() async throws {
        let files = try await FilesCloud()
        let guest = try await Guest(files)
        let folder = try await files.folder("album")
        let inside = try await files.upload("a.txt", "inside", folder: folder)
        let secret = try await files.upload("secret.txt", "secret")
        // A request that is refused makes no share.
        let bad = try await files.post(
            "share/invite", ["item": folder, "email": "eve@example.org", "permission": "NONE"])
        #expect(bad.status == 400)
        #expect(try await files.send("GET", "items/\(folder)/share").json["link"] is NSNull)
        let invitation = ["item": folder, "email": "eve@example.org", "permission": "READ_ONLY"]
        let share = try await files.post("share/invite", invitation)
        #expect(share.status == 200 && participants(share).map { $0["hasJoined"] as? Bool } == [false])
        #expect(try await files.post("share/invite", invitation).status == 400)
        #expect(try await guest.shared().isEmpty)
        try await guest.join(share)
        let item = try #require(try await guest.shared().first)
        #expect(item["name"] as? String == "album" && item["permission"] as? String == "READ_ONLY")
        let owner = try #require(item["owner"] as? String)
        let place = "owner=\(owner)"
        let list = try await guest.send("GET", "list?\(place)&root=\(folder)")
        #expect(list.body.contains("a.txt") && !list.body.contains("secret"))
        #expect((list.json["root"] as? [String: Any])?["name"] as? String == "album")
        #expect(try await guest.send("GET", "items/\(inside)/content?\(place)").body == "inside")
        // What is not shared is not to be found, and reading is not writing.
        for path in ["list?\(place)", "list?\(place)&root=\(secret)", "items/\(secret)/content?\(place)"] {
            #expect(try await guest.send("GET", path).status == 404, "\(path)")
        }
        #expect(try await guest.send("PUT", "upload?\(place)&folder=\(folder)&name=b.txt", "b").status == 403)
        // The owner lets the guest change it.
        let participant = try #require(participants(try await files.send("GET", "items/\(folder)/share")).first)
        let id = try #require(participant["id"] as? String)
        let changed = try await files.post(
            "share/permission", ["item": folder, "participant": id, "permission": "READ_WRITE"])
        #expect(participants(changed).first?["permission"] as? String == "READ_WRITE")
        #expect(try await guest.send("PUT", "upload?\(place)&folder=\(folder)&name=b.txt", "b").status == 200)
        _ = try await guest.post("move?\(place)", ["items": [inside], "name": "c.txt"])
        #expect(try await files.names("path=album") == ["b.txt", "c.txt"])
        #expect(try await guest.post("move?\(place)", ["items": [folder], "name": "x"]).body.contains("ACCESS_DENIED"))
        // A participant does not decide who takes part, nor ends the share; leaving is their own.
        for act in ["share/end?\(place)", "share/access?\(place)", "share/invite?\(place)"] {
            let body = ["item": folder, "permission": "READ_WRITE", "email": "x@example.org"]
            #expect(try await guest.post(act, body).status == 403, "\(act)")
        }
        for path in ["deleted", "room", "shared", "published", "items/\(inside)/content?version=1"] {
            let path = path + (path.contains("?") ? "&" : "?") + place
            #expect(try await guest.send("GET", path).status == 400, "\(path)")
        }
        for act in ["restore", "delete-for-good", "restore-version", "publish", "unpublish"] {
            #expect(try await guest.post("\(act)?\(place)", ["items": [inside]]).status == 400, "\(act)")
        }
        #expect(try await guest.post("share/leave?\(place)", ["item": folder]).status == 200)
        #expect(try await guest.shared().isEmpty)
        #expect(try await guest.send("GET", "list?\(place)&root=\(folder)").status == 404)
        await files.stop()
    }

    @Test func aLinkLetsEverybodyInUntilTheShareEnds() async throws {
        let files = try await FilesCloud()
        let guest = try await Guest(files)
        let id = try await files.upload("a.txt", "a")
        #expect(try await files.post("share/end", ["item": id]).status == 400)
        let open = try await files.post("share/access", ["item": id, "permission": "READ_ONLY"])
        #expect(open.json["access"] as? String == "READ_ONLY")
        #expect(try await files.send("GET", "list").body.contains("isShared"))
        try await guest.join(open)
        #expect(try await guest.shared().count == 1)
        let joined = try #require(
            participants(try await files.send("GET", "items/\(id)/share")).first?["id"] as? String)
        _ = try await files.post("share/remove", ["item": id, "participant": joined])
        #expect(try await guest.shared().isEmpty)
        try await guest.join(open)
        #expect(try await files.post("share/end", ["item": id]).status == 200)
        #expect(try await guest.shared().isEmpty)
        #expect(try await files.send("GET", "items/\(id)/share").json["link"] is NSNull)
        #expect(try await files.post("share/access", ["item": id, "permission": "ALL"]).status == 400)
        #expect(try await files.post("share/nothing", ["item": id]).status == 404)
        await files.stop()
    }

    @Test func aFileIsPublishedListedAndEnded() async throws {
        let files = try await FilesCloud()
        let id = try await files.upload("a b.txt", "published")
        let folder = try await files.folder("folder")
        let published = try await files.post("publish", ["item": id, "lifetime": 3600])
        let url = try #require(published.json["url"] as? String)
        let path = String(url[try #require(url.firstRange(of: "/published/")).lowerBound...])
        #expect(try await files.cloud.client.send("GET", path).body == "published")
        let list = try await files.send("GET", "published").json["publications"] as? [[String: Any]]
        #expect(list?.map { $0["name"] as? String } == ["a b.txt"] && list?.first?["url"] is NSNull)
        for body in [["item": folder], ["item": id, "lifetime": 1]] as [[String: Any]] {
            #expect(try await files.post("publish", body).status == 400)
        }
        let publication = try #require(published.json["id"] as? String)
        let guest = try await Guest(files)
        #expect(try await guest.post("publish", ["item": id]).status == 404)
        #expect(try await guest.post("unpublish", ["publication": publication]).status == 404)
        #expect(try await files.cloud.client.send("GET", path).status == 200)
        #expect(try await files.post("unpublish", ["publication": publication]).status == 200)
        #expect(try await files.cloud.client.send("GET", path).status == 404)
        #expect(try await files.post("unpublish", ["publication": publication]).status == 404)
        await files.stop()
    }
}
