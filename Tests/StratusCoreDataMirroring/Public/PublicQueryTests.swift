import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTesting
import Testing

/// Stores of the public database on a server without a feed, as Apple's.
@Suite struct PublicQueryTests {
    private func publicCloud(_ options: LocalCloud.Options = .init()) async throws -> LocalCloud {
        let cloud = try await LocalCloud(options)
        withoutFeed(cloud)
        return cloud
    }

    /// Lets the server answer as one does that does not know the feed's address.
    @discardableResult
    private func withoutFeed(_ cloud: LocalCloud) -> LocalCloud.Injection {
        cloud.faults.inject(.error(.unknownItem), on: .fetchPublicChanges, times: nil)
    }

    @Test func queriesFindSavesAndChangesAndNoDeletions() async throws {
        let cloud = try await LocalCloud()
        let fault = withoutFeed(cloud)
        let ada = try MirroredDevice.public(cloud.account("ada").device("phone"))
        let bob = try MirroredDevice.public(cloud.account("bob").device("phone"))
        #expect(try await bob.synchronizedTitles() == [], "no record type exists yet")
        try await ada.save { context in
            for number in 0..<5 { context.insert("Note", ["title": "\(number)"]) }
            let note = context.insert("Checklist", ["title": "list"])
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "T"]))
        }
        await ada.synchronize()
        #expect(try await bob.synchronizedTitles() == ["0", "1", "2", "3", "4", "list"])
        #expect(
            try await bob.read { context in
                (try context.note("list")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
            })
        try await ada.save { context in
            try context.note("0")?.setValue("changed", forKey: "title")
            if let note = try context.note("1") { context.delete(note) }
        }
        await ada.synchronize()
        #expect(try await bob.synchronizedTitles() == ["1", "2", "3", "4", "changed", "list"])
        #expect(try await bob.events().allSatisfy { $0.error == nil })
        // A server that has the feed later finds the deletion.
        fault.remove()
        #expect(try await bob.synchronizedTitles() == ["2", "3", "4", "changed", "list"])
    }

    @Test func recordsOfTheSameMillisecondAreFound() async throws {
        let cloud = try await publicCloud()
        cloud.clock.stop()
        let ada = try MirroredDevice.public(cloud.account("ada").device("phone"))
        let bob = try MirroredDevice.public(cloud.account("bob").device("phone"))
        for number in 0..<3 {
            try await ada.save { _ = $0.insert("Note", ["title": "\(number)"]) }
            await ada.synchronize()
            #expect(try await bob.synchronizedTitles() == (0...number).map { "\($0)" })
        }
        let dates = Set(try await cloud.publicRecords().map(\.modificationDate))
        #expect(dates.count == 1)
        let count = try await bob.events().count
        await bob.synchronize()
        #expect(try await bob.events().count == count, "known records are no import")
    }

    @Test func manyRecordsComeInPages() async throws {
        let cloud = try await publicCloud()
        let ada = try MirroredDevice.public(cloud.account("ada").device("phone"))
        try await ada.save { context in
            for number in 0..<450 { context.insert("Note", ["title": "\(number)"]) }
        }
        await ada.synchronize()
        let bob = try MirroredDevice.public(cloud.account("bob").device("phone"))
        #expect(try await bob.synchronizedTitles().count == 450)
    }

    @Test func aMissingIndexIsNamed() async throws {
        let schema = """
            DEFINE SCHEMA
            RECORD TYPE CD_Note (CD_entityName STRING, CD_title STRING,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
            RECORD TYPE CD_Tag ("___modTime" TIMESTAMP QUERYABLE SORTABLE, CD_entityName STRING, CD_name STRING,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
            """
        let cloud = try await publicCloud(LocalCloud.Options(environment: .production, schema: schema))
        let ada = try MirroredDevice.public(cloud.account("ada").device("phone"))
        try await ada.save { context in
            context.insert("Note", ["title": "unseen"])
            context.insert("Tag", ["name": "seen"])
        }
        await ada.synchronize()
        let bob = try MirroredDevice.public(cloud.account("bob").device("phone"))
        #expect(try await bob.synchronizedTitles() == [])
        #expect(try await bob.read { try $0.only("Tag", "name", "seen") != nil })
        let text = try #require(try await bob.failures(.import).last?.error?.localizedDescription)
        #expect(text.contains("'CD_Note'") && text.contains("___modTime") && !text.contains("'CD_Tag'"))
    }

    @Test func queriesAreMadeEveryHalfHour() async throws {
        let cloud = try await publicCloud()
        let ada = try MirroredDevice.public(cloud.account("ada").device("phone"))
        cloud.clock.stop()
        let app = try MirroredDevice(
            cloud.account("eve").device("phone"), in: .init(inMemory: true), [.public])
        _ = try await app.wait(forEvent: "the first fetch") { $0.type == .import }
        await cloud.clock.untilWaiting()
        try await ada.save { _ = $0.insert("Note", ["title": "Bread"]) }
        await ada.synchronize()
        let before = cloud.requests.count
        cloud.clock.advance(by: .seconds(1_799))
        #expect(cloud.requests.count == before)
        cloud.clock.advance(by: .seconds(1))
        try await app.wait(for: "the note") { try $0.titles() == ["Bread"] }
    }
}
