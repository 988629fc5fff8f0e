import CloudKit
import CoreData
import PostSharing
import StratusTesting
import Testing

/// An owner, a writer and a reader with a cloud inside of the test.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ThreePeopleTests {
    private let cloud: LocalCloud
    private let jermaine: Person
    private let heather: Person
    private let mary: Person

    init() async throws {
        cloud = try await LocalCloud()
        jermaine = try Person("jermaine", in: cloud)
        heather = try Person("heather", in: cloud)
        mary = try Person("mary", in: cloud)
    }

    @Test func everybodyWhoIsInvitedSeesAndWrites() async throws {
        let link = try await jermaine.share("Sharing demo is so cool", .readWrite, with: "heather", "mary")
        #expect(try jermaine.lines == ["👥 Sharing demo is so cool"])
        for person in [heather, mary] {
            #expect(try person.lines.isEmpty)
            try await person.stack.accept(link)
            try await person.wait { try person.lines == ["👥 Sharing demo is so cool"] }
        }
        let editor = try heather.editor("Sharing demo is so cool")
        try editor.add(tag: "demo")
        try editor.change {
            $0.title = "So cool"
            $0.location = Place(latitude: 54.32, longitude: 10.14)
        }
        for person in [jermaine, mary] {
            try await person.wait {
                guard try person.list.post("So cool") != nil else { return false }
                return try Array(person.editor("So cool").lines.prefix(3)) == ["So cool", "#demo", "at 54.32, 10.14"]
            }
        }
    }

    @Test func readersNeitherChangeNorDelete() async throws {
        let link = try await heather.share("Look", .readOnly, with: "mary")
        try await mary.stack.accept(link)
        try await mary.wait { try mary.lines == ["👥 Look"] }
        #expect(try mary.list.cells().map(\.canDelete) == [false])
        let editor = try mary.editor("Look")
        #expect(!editor.canEdit)
        #expect(throws: PostEditor.ReadOnly.self) { try editor.change { $0.title = "Mine" } }
        #expect(throws: PostEditor.ReadOnly.self) { try editor.delete() }
        #expect(
            editor.lines == [
                "Look (view only)", "Heather: owner, read-write, accepted",
                "you: private participant, read-only, accepted",
            ])
        #expect(try heather.editor("Look").canEdit)
    }

    @Test func peopleAreAddedAndLeave() async throws {
        let link = try await jermaine.share("Ours", .readWrite, with: "heather")
        try await heather.stack.accept(link)
        try await heather.wait { try heather.lines == ["👥 Ours"] }
        let post = try #require(try jermaine.list.post("Ours"))
        _ = try await jermaine.stack.share(post, .readOnly, with: ["mary@example.org"])
        let lines = try jermaine.editor("Ours").lines
        #expect(lines.contains { $0.hasSuffix("private participant, read-only, invited") })
        #expect(lines.contains { $0.hasSuffix("private participant, read-write, accepted") })
        try await heather.stack.leave(try #require(try heather.list.post("Ours")))
        try await heather.wait { try heather.lines.isEmpty }
        #expect(try jermaine.lines == ["👥 Ours"])
    }

    @Test func anotherInvitationChangesThePermission() async throws {
        let link = try await jermaine.share("Ours", .readWrite, with: "heather")
        try await heather.stack.accept(link)
        try await heather.wait { try heather.lines == ["👥 Ours"] }
        #expect(try heather.editor("Ours").canEdit)
        let post = try #require(try jermaine.list.post("Ours"))
        // Another device may have changed the share without this one knowing.
        let share = try #require(jermaine.stack.share(of: post.objectID))
        cloud.faults.inject(.error(.serverRecordChanged, of: share.recordID), on: .saveRecords)
        _ = try await jermaine.stack.share(post, .readOnly, with: ["heather@example.org"])
        #expect(cloud.faults.pending.isEmpty)
        try await heather.wait { try !heather.editor("Ours").canEdit }
        #expect(throws: PostEditor.ReadOnly.self) { try heather.editor("Ours").delete() }
        #expect(jermaine.stack.participants(of: post.objectID).count == 2)
    }

    @Test func theCloudCannotReadTheLocation() async throws {
        _ = try await jermaine.share("Here", .readWrite, with: "heather")
        try jermaine.editor("Here").change { $0.location = Place(latitude: 54.32, longitude: 10.14) }
        let post = try #require(try jermaine.list.post("Here"))
        let zoneID = try #require(jermaine.stack.share(of: post.objectID)).recordID.zoneID
        // The record is the one that the server has.
        try await jermaine.wait {
            jermaine.stack.container.record(for: post.objectID)?.encryptedValues["CD_location"] != nil
        }
        let records = try await cloud.records(in: zoneID, of: cloud.account("jermaine"))
        let record = try #require(records.first { $0.recordType == "CD_Post" })
        #expect(record["CD_title"] as? String == "Here")
        #expect(record["CD_location"] == nil && record.encryptedValues["CD_location"] == nil)
    }
}
