import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Published files as people who have the link fetch them.
@Suite struct PublishedFileTests {
    /// A person's file, uploaded over WebDAV, and a session of the person.
    private struct Place {
        let dav: WebDAVCloud
        let token: String
        let recordName: String
        var cloud: TestCloud { dav.cloud }

        init(_ name: String = "a file.txt", content: String = "0123456789") async throws {
            dav = try await WebDAVCloud()
            token = try await dav.cloud.webAuthToken()
            let path = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(try await dav.status("PUT", path, body: content) == 201)
            let query = #"{"zoneID":{"zoneName":"_files"},"query":{"recordType":"StratusFile"}}"#
            let found = try await dav.cloud.call("POST", "private/records/query", token: token, body: query)
            let records = try #require(found.json["records"] as? [[String: Any]])
            recordName = try #require(records.first?["recordName"] as? String)
        }

        func ask(_ action: String, _ body: [String: Any], scope: String = "private") async throws -> RawResponse {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
            return try await cloud.call("POST", "\(scope)/files/\(action)", token: token, body: text)
        }

        func publish(_ more: [String: Any] = [:]) async throws -> [String: Any] {
            let response = try await ask("publish", more.merging(["recordName": recordName]) { first, _ in first })
            return try #require(response.json["publication"] as? [String: Any], "\(response.body)")
        }

        /// The path of a publication's link.
        func path(_ publication: [String: Any]) throws -> String {
            let url = try #require((publication["url"] as? String).flatMap { URLComponents(string: $0) })
            return url.percentEncodedPath
        }
    }

    @Test func everybodyWhoHasTheLinkFetchesTheFile() async throws {
        let place = try await Place()
        let publication = try await place.publish()
        #expect(publication["name"] as? String == "a file.txt" && publication["size"] as? Int == 10)
        #expect(publication["recordName"] as? String == place.recordName)
        let path = try place.path(publication)
        #expect(path.hasPrefix("/published/") && path.hasSuffix("/a%20file.txt"))
        let whole = try await place.cloud.client.send("GET", path)
        #expect(whole.status == 200 && whole.body == "0123456789")
        #expect(whole["Content-Disposition"] == #"attachment; filename="a file.txt""#)
        #expect(whole["X-Content-Type-Options"] == "nosniff" && whole["Content-Type"] == "application/octet-stream")
        #expect(whole["Content-Security-Policy"]?.contains("sandbox") == true)
        #expect(whole["X-Robots-Tag"] == "noindex" && whole["Referrer-Policy"] == "no-referrer")
        let part = try await place.cloud.client.send("GET", path, headers: [("Range", "bytes=2-4")])
        #expect(part.status == 206 && part.body == "234" && part["Content-Range"] == "bytes 2-4/10")
        let head = try await place.cloud.client.send("HEAD", path)
        #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == "10")
        let same = try await place.cloud.client.send(
            "GET", path, headers: [("If-None-Match", try #require(whole["ETag"]))])
        #expect(same.status == 304)
        #expect(try await place.cloud.client.send("POST", path).status == 405)
        await place.cloud.stop()
    }

    @Test func whatHasEndedAndWhatNeverWasAreAlike() async throws {
        let place = try await Place()
        let (first, second) = (try await place.publish(["lifetime": 60]), try await place.publish())
        let path = try place.path(first)
        let none = try await place.cloud.client.send("GET", "/published/AAAA/a")
        #expect(none.status == 404)
        let renamed = path.replacingOccurrences(of: "a%20file.txt", with: "invoice.exe")
        #expect(try await place.cloud.client.send("GET", renamed).body == none.body)
        place.cloud.advance(minutes: 1)
        let ended = try await place.cloud.client.send("GET", path)
        #expect(ended.status == 404 && ended.body == none.body)
        let other = try place.path(second)
        #expect(try await place.cloud.client.send("GET", other).status == 200)
        let id = try #require(second["publicationID"] as? String)
        let listed = try await place.ask("published", [:]).json["publications"] as? [[String: Any]]
        #expect(listed?.count == 1 && listed?.first?["publicationID"] as? String == id)
        #expect(listed?.first?["url"] == nil)
        #expect(try await place.ask("unpublish", ["publicationID": id]).json["publicationID"] as? String == id)
        #expect(try await place.cloud.client.send("GET", other).status == 404)
        #expect(try await place.ask("unpublish", ["publicationID": id]).code == "NOT_FOUND")
        await place.cloud.stop()
    }

    @Test func theLinkStandsInNoLog() async throws {
        let place = try await Place()
        let path = try place.path(try await place.publish())
        _ = try await place.cloud.client.send("GET", path)
        _ = try await place.cloud.client.send("GET", path + "x")
        let token = try #require(path.split(separator: "/").dropFirst().first)
        let log = await place.cloud.log.text()
        #expect(log.contains("published") && !log.contains(token))
        await place.cloud.stop()
    }

    @Test func onlyThePersonPublishes() async throws {
        let place = try await Place()
        let body = "{\"recordName\":\"\(place.recordName)\",\"publicationID\":\"x\"}"
        for action in ["publish", "published", "unpublish"] {
            let response = try await place.cloud.call("POST", "private/files/\(action)", body: body)
            #expect(response.status == 421 || response.status == 401, "\(action): \(response.status)")
        }
        #expect(try await place.ask("publish", ["recordName": place.recordName], scope: "shared").code == "BAD_REQUEST")
        #expect(try await place.ask("publish", ["recordName": "none"]).code == "NOT_FOUND")
        #expect(try await place.ask("publish", [:]).code == "BAD_REQUEST")
        for lifetime in [59, 7_776_001] {
            let response = try await place.ask("publish", ["recordName": place.recordName, "lifetime": lifetime])
            #expect(response.code == "BAD_REQUEST")
        }
        #expect((try await place.ask("published", [:]).json["publications"] as? [Any])?.isEmpty == true)
        await place.cloud.stop()
    }

    @Test func anEmptyFileAndAStrangeNameArePublished() async throws {
        let place = try await Place("<b>é\".html", content: "")
        let path = try place.path(try await place.publish())
        let response = try await place.cloud.client.send("GET", path)
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(response["Content-Disposition"]?.hasPrefix("attachment; filename=\"<b>_.html\"; filename*=") == true)
        await place.cloud.stop()
    }

    @Test func anErasedPersonHasPublishedNothing() async throws {
        let place = try await Place()
        let path = try place.path(try await place.publish())
        #expect(try await place.cloud.client.send("GET", path).status == 200)
        _ = try await place.cloud.service.eraseAccount(email: TestCloud.email, deletingPublicRecords: false)
        #expect(try await place.cloud.client.send("GET", path).status == 404)
        await place.cloud.stop()
    }
}
