import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Settings of a container, and exports.
@Suite struct ConsoleSettingsTests {
    private static let settings = "c/\(TestCloud.container)/settings"
    private static let export = "c/\(TestCloud.container)/development/export"

    @Test func theWayToTheAppIsSet() async throws {
        let place = try await ConsolePlace()
        let before = try await place.owner.get(Self.settings)
        #expect(before.json["appURL"] is NSNull)
        let changed = try await place.owner.send("PUT", Self.settings, ["appURL": "https://app.example/?s={url}"])
        #expect(changed.json["appURL"] as? String == "https://app.example/?s={url}")
        let more = try await place.owner.send("PUT", Self.settings, ["appCommand": "app open {url}"])
        #expect(more.json["appURL"] as? String == "https://app.example/?s={url}")
        let removed = try await place.owner.send("PUT", Self.settings, ["appURL": NSNull()])
        #expect(removed.json["appURL"] is NSNull && removed.json["appCommand"] as? String == "app open {url}")
        #expect(try await place.owner.send("PUT", Self.settings, ["appURL": "javascript:alert(1)"]).status == 400)
        #expect(try await place.owner.send("PUT", Self.settings, ["quotas": 1]).status == 400)
        await place.stop()
    }

    @Test func recordsAreExportedLineByLine() async throws {
        let place = try await ConsolePlace()
        for number in 0..<30 {
            _ = try await place.owner.ck("records/modify", Body.save("Note", "n\(number)", ["text": "t"]))
        }
        _ = try await place.owner.ck("records/modify", Body.save("Other", "o"))
        _ = try await place.owner.ck("records/modify", Body.save("Diary", "d"), in: "private")
        let notes = try await place.owner.get("\(Self.export)?type=Note")
        #expect(notes.status == 200)
        #expect(
            notes["Content-Disposition"] == "attachment; filename=\"\(TestCloud.container)-development-Note.jsonl\"")
        #expect(notes.body.components(separatedBy: "\"recordName\":\"n").count == 31)
        #expect(!notes.body.contains("\"recordName\":\"o\""))
        let own = try await place.owner.get("\(Self.export)?database=private")
        #expect(own.body.contains("\"recordName\":\"d\""))
        let viewer = try await place.developer("viewer")
        #expect(!(try await viewer.get("\(Self.export)?database=private").body.contains("\"recordName\":\"d\"")))
        #expect(try await viewer.get("\(Self.export)?type=Note").body.contains("\"recordName\":\"n1\""))
        #expect(try await place.owner.get("\(Self.export)?database=shared").status == 400)
        #expect(try await place.owner.get("\(Self.export)?database=nothing").status == 400)
        #expect(try await place.owner.get("\(Self.export)?database=private&zone=none").status == 404)
        await place.stop()
    }
}
