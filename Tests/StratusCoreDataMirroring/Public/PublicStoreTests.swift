import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTesting
import Testing

/// Stores of the public database on a server with a feed.
@Suite struct PublicStoreTests {
    private let cloud: LocalCloud
    private let ada: MirroredDevice
    private let bob: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 3))
        ada = try .public(cloud.account("ada").device("phone"))
        bob = try .public(cloud.account("bob").device("laptop"))
        try await ada.save { context in
            let note = context.insert("Note", ["title": "Milk"])
            note.setValue(context.insert("Folder", ["name": "Shopping"]), forKey: "folder")
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "white"]))
        }
        await ada.synchronize()
    }

    @Test func everybodySeesSavesChangesAndDeletions() async throws {
        let device = cloud.account("eve").device("tablet")
        device.signOut()
        let reader = try MirroredDevice.public(device)
        for app in [bob, reader] {
            #expect(try await app.synchronizedTitles() == ["Milk"])
            #expect(
                try await app.read { context in
                    let note = try context.note("Milk")
                    let folder = note?.value(forKey: "folder") as? NSManagedObject
                    let tags = note?.value(forKey: "tags") as? Set<NSManagedObject>
                    return folder?.value(forKey: "name") as? String == "Shopping" && tags?.count == 1
                })
            #expect(try await app.events().allSatisfy { $0.error == nil })
        }
        try await ada.save { context in
            try context.note("Milk")?.setValue("Oat milk", forKey: "title")
            context.insert("Note", ["title": "Bread"])
        }
        await ada.synchronize()
        for app in [bob, reader] { #expect(try await app.synchronizedTitles() == ["Bread", "Oat milk"]) }
        try await ada.save { context in
            if let note = try context.note("Oat milk") { context.delete(note) }
        }
        await ada.synchronize()
        for app in [bob, reader] { #expect(try await app.synchronizedTitles() == ["Bread"]) }
        #expect(try await cloud.publicRecords().filter { $0.recordType == "CD_Note" }.count == 1)
    }

    @Test func recordsAreInTheDefaultZone() async throws {
        let id = try #require(try await ada.noteID("Milk"))
        let recordID = try #require(ada.container.recordID(for: id))
        #expect(recordID.zoneID == .default)
        #expect(try await cloud.publicRecords().contains { $0.recordID == recordID })
        #expect(ada.container.record(for: id)?["CD_title"] as? String == "Milk")
    }

    @Test func aLookThatFindsNothingHasNoEvent() async throws {
        await bob.synchronize()
        let count = try await bob.events().count
        await bob.synchronize()
        await bob.synchronize()
        #expect(try await bob.events().count == count)
    }

    @Test func theFirstFetchAfterAFailureHasAnEvent() async throws {
        await bob.synchronize()
        cloud.faults.inject(.error(.networkFailure), on: .fetchPublicChanges)
        await bob.synchronize()
        await bob.synchronize()
        await bob.synchronize()
        let imports = try await bob.events().filter { $0.type == .import }
        #expect(imports.map(\.succeeded) == [true, false, true])
    }

    @Test func theFirstFetchHasAnEvent() async throws {
        let cloud = try await LocalCloud()
        let app = try MirroredDevice.public(cloud.account("ada").device("phone"))
        await app.synchronize()
        let kinds = try await app.events().map(\.type)
        #expect(kinds == [.setup, .import])
    }

    @Test func expiredTokensLoseNoDeletion() async throws {
        await bob.synchronize()
        try await ada.save { context in
            if let note = try context.note("Milk") { context.delete(note) }
            for number in 0..<7 { context.insert("Note", ["title": "\(number)"]) }
        }
        await ada.synchronize()
        try await bob.save { _ = $0.insert("Note", ["title": "of Bob"]) }
        cloud.expireChangeTokens()
        let expected = (0..<7).map { "\($0)" } + ["of Bob"]
        #expect(try await bob.synchronizedTitles() == expected)
        #expect(try await ada.synchronizedTitles() == expected)
    }

    @Test func twoDevicesOfAPersonMergeTheirChanges() async throws {
        let tablet = try MirroredDevice.public(cloud.account("ada").device("tablet"))
        await tablet.synchronize()
        try await ada.save { try $0.note("Milk")?.setValue(3, forKey: "pages") }
        try await tablet.save { try $0.note("Milk")?.setValue("cold", forKey: "text") }
        await ada.synchronize()
        await tablet.synchronize()
        await ada.synchronize()
        for app in [ada, tablet] {
            #expect(
                try await app.read { context in
                    let note = try context.note("Milk")
                    return note?.value(forKey: "pages") as? Int == 3 && note?.value(forKey: "text") as? String == "cold"
                })
        }
    }

    @Test(
        "failures that pass are retried, and nothing is saved twice",
        arguments: [
            LocalCloud.Fault.offline, .dropBeforeCommit, .dropAfterCommit, .throttle(retryAfter: 5),
            .busy(retryAfter: 5), .error(.zoneBusy), .error(.serverRecordChanged),
        ])
    func transientFailures(_ fault: LocalCloud.Fault) async throws {
        let app = try MirroredDevice(
            cloud.account("eve").device("phone"), in: .init(inMemory: true), [.public])
        try await app.wait(for: "the first fetch") { try $0.titles() == ["Milk"] }
        cloud.faults.inject(fault, on: .saveRecords, times: 3)
        try await app.save { context in
            for number in 0..<5 { context.insert("Note", ["title": "\(number)"]) }
        }
        // A record that was saved, although the answer was lost, may also come back from the feed.
        let container = app.container
        try await app.wait(for: "the records") { context in
            let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            return notes.count == 6 && notes.allSatisfy { container.record(for: $0.objectID) != nil }
        }
        let expected = (0..<5).map { "\($0)" } + ["Milk"]
        #expect(try await bob.synchronizedTitles() == expected)
        #expect(try await app.read { try $0.titles() } == expected)
        #expect(try await cloud.publicRecords().filter { $0.recordType == "CD_Note" }.count == 6)
    }

    @Test func anAppThatStartsWithoutANetworkGoesOnWithIt() async throws {
        let outage = cloud.faults.inject(.offline, on: [.any, .fetchUser], device: "tablet", times: nil)
        let app = try MirroredDevice(
            cloud.account("eve").device("tablet"), in: .init(inMemory: true), [.public])
        try await app.save { _ = $0.insert("Note", ["title": "Bread"]) }
        _ = try await app.wait(forEvent: "the setup") { $0.type == .setup }
        #expect(try await app.mayChange("Bread") == true)
        outage.remove()
        cloud.clock.advance(by: .seconds(3_600))
        try await app.wait(for: "the note of the other") { try $0.titles() == ["Bread", "Milk"] }
        _ = try await app.wait(forEvent: "the export") { $0.type == .export && $0.succeeded }
        #expect(try await bob.synchronizedTitles() == ["Bread", "Milk"])
    }

    @Test func anAppThatRunsByItselfLooksAgain() async throws {
        let app = try MirroredDevice(
            cloud.account("eve").device("phone"), in: .init(inMemory: true), [.public])
        try await app.wait(for: "the note") { try $0.titles() == ["Milk"] }
        try await ada.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        await ada.synchronize()
        try await app.wait(for: "the change") { try $0.titles() == ["Bread"] }
    }

    @Test func aNotificationOfTheProgramsSubscriptionIsFollowedAtOnce() async throws {
        let device = cloud.account("eve").device("phone")
        _ = try await device.container.publicCloudDatabase.save(
            CKQuerySubscription(recordType: "CD_Note", predicate: NSPredicate(value: true)))
        cloud.clock.stop()
        let app = try MirroredDevice(device, in: .init(inMemory: true), [.public])
        _ = try await app.wait(forEvent: "the first fetch") { $0.type == .import }
        // The clock stands, so that no interval ends.
        await cloud.clock.untilWaiting()
        try await ada.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        await ada.synchronize()
        try await app.wait(for: "the change") { try $0.titles() == ["Bread"] }
        try await ada.save { context in
            if let note = try context.note("Bread") { context.delete(note) }
        }
        await ada.synchronize()
        try await app.wait(for: "the deletion") { try $0.titles() == [] }
    }

    @Test func theFeedIsReadEveryMinute() async throws {
        cloud.clock.stop()
        let app = try MirroredDevice(
            cloud.account("eve").device("phone"), in: .init(inMemory: true), [.public])
        _ = try await app.wait(forEvent: "the first fetch") { $0.type == .import }
        await cloud.clock.untilWaiting()
        try await ada.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        await ada.synchronize()
        let before = cloud.requests.count
        cloud.clock.advance(by: .seconds(59))
        #expect(cloud.requests.count == before)
        cloud.clock.advance(by: .seconds(1))
        try await app.wait(for: "the change") { try $0.titles() == ["Bread"] }
    }
}
