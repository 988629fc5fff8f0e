import CloudKit
import CoreData
import StratusTesting
import Testing

/// Objects that are changed on two devices that do not know of each other's changes.
@Suite struct ConflictTests {
    private let cloud: LocalCloud
    private let phone: MirroredDevice
    private let laptop: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        phone = try MirroredDevice(cloud.account("ada").device("phone"))
        laptop = try MirroredDevice(cloud.account("ada").device("laptop"))
        try await phone.save { context in
            let note = context.insert("Note", ["title": "Milk", "text": "one", "pages": Int64(1)])
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "old"]))
        }
        try await laptop.wait(for: "the note and its tag") { context in
            (try context.note("Milk")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
    }

    /// Lets the laptop change something while it is offline, and the phone something before the laptop is back.
    private func change(
        laptop ofLaptop: @escaping @Sendable (NSManagedObjectContext) throws -> Void,
        phone ofPhone: @escaping @Sendable (NSManagedObjectContext) throws -> Void,
        isPhoneLater: Bool = true, whileOffline: () async throws -> Void
    ) async throws {
        cloud.clock.stop()
        let outage = cloud.faults.inject(.offline, device: "laptop", times: nil)
        if isPhoneLater { try await laptop.save(ofLaptop) }
        cloud.clock.resume()
        try await phone.save(ofPhone)
        try await whileOffline()
        if !isPhoneLater { try await laptop.save(ofLaptop) }
        outage.remove()
        cloud.clock.advance(by: .seconds(3_600))
    }

    private func waitForServer(_ what: String, _ isSo: ([CKRecord]) -> Bool) async throws {
        try await phone.waitForRecords(what, in: cloud, of: cloud.account("ada"), isSo)
    }

    @Test func changesOfDifferentAttributesAreBothKept() async throws {
        try await change(laptop: { try $0.note("Milk")?.setValue("two", forKey: "text") }) {
            try $0.note("Milk")?.setValue(Int64(2), forKey: "pages")
        } whileOffline: {
            try await waitForServer("the export of the phone") { records in
                records.contains { $0["CD_pages"] as? Int64 == 2 && $0["CD_text"] as? String == "one" }
            }
        }
        for device in [phone, laptop] {
            try await device.wait(for: "both changes") { context in
                let note = try context.note("Milk")
                return note?.value(forKey: "text") as? String == "two" && note?.value(forKey: "pages") as? Int64 == 2
            }
        }
    }

    /// The records of both notes name the cover, which names only one of them.
    @Test func anObjectHasOnePartnerOnAllDevices() async throws {
        try await phone.save { context in
            context.insert("Cover", ["color": "red"])
            context.insert("Note", ["title": "Tea"])
        }
        try await laptop.wait(for: "the cover") { try $0.only("Cover", "color", "red") != nil && $0.note("Tea") != nil }
        try await change(
            laptop: { try $0.note("Tea")?.setValue($0.only("Cover", "color", "red"), forKey: "cover") },
            phone: { try $0.note("Milk")?.setValue($0.only("Cover", "color", "red"), forKey: "cover") }
        ) {
            try await waitForServer("the export of the phone") { records in
                records.contains { $0["CD_title"] as? String == "Milk" && $0["CD_cover"] != nil }
            }
        }
        for device in [phone, laptop] {
            try await device.wait(for: "the later change") { context in
                let owner = try context.only("Cover", "color", "red")?.value(forKey: "note") as? NSManagedObject
                let notes = try [context.note("Milk"), context.note("Tea")].filter { $0?.value(forKey: "cover") != nil }
                return owner?.value(forKey: "title") as? String == "Milk" && notes.count == 1
            }
        }
    }

    @Test func theNewerChangeOfAnAttributeWins() async throws {
        try await change(laptop: { try $0.note("Milk")?.setValue("laptop", forKey: "text") }) {
            try $0.note("Milk")?.setValue("phone", forKey: "text")
        } whileOffline: {
            try await waitForServer("the export of the phone") { records in
                records.contains { $0["CD_text"] as? String == "phone" }
            }
        }
        for device in [phone, laptop] {
            try await device.wait(for: "the change of the phone") { context in
                try context.note("Milk")?.value(forKey: "text") as? String == "phone"
            }
        }
    }

    @Test func aDeletionWins() async throws {
        try await change(laptop: { try $0.note("Milk")?.setValue("laptop", forKey: "text") }) { context in
            if let note = try context.note("Milk") { context.delete(note) }
        } whileOffline: {
            try await waitForServer("the deletion by the phone") { records in
                !records.contains { $0.recordType == "CD_Note" }
            }
        }
        try await laptop.wait(for: "the deletion") { try $0.titles() == [] }
        try await phone.save { _ = $0.insert("Note", ["title": "last"]) }
        try await laptop.wait(for: "what followed") { try $0.titles() == ["last"] }
        #expect(try await phone.read { try $0.titles() } == ["last"])
    }

    @Test func aDeletionTakesWhatWasAddedMeanwhileAlong() async throws {
        try await change(laptop: { context in
            try context.note("Milk")?.setValue(context.insert("Cover", ["color": "red"]), forKey: "cover")
        }) { context in
            if let note = try context.note("Milk") { context.delete(note) }
        } whileOffline: {
            try await waitForServer("the deletion by the phone") { records in
                !records.contains { $0.recordType == "CD_Note" }
            }
        }
        try await laptop.wait(for: "the deletion") { context in
            let covers = NSFetchRequest<NSManagedObject>(entityName: "Cover")
            return try context.titles() == [] && context.count(for: covers) == 0
        }
        try await laptop.save { _ = $0.insert("Note", ["title": "last"]) }
        try await laptop.waitForRecords("no cover", in: cloud, of: cloud.account("ada")) { records in
            records.map(\.recordType).sorted() == ["CD_Note", "CD_Tag"]
        }
    }

    @Test func linksOfBothAreKept() async throws {
        @Sendable func add(_ name: String) -> @Sendable (NSManagedObjectContext) throws -> Void {
            { context in
                let note = try #require(try context.note("Milk"))
                note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": name]))
            }
        }
        try await change(laptop: add("laptop")) { context in
            let note = try #require(try context.note("Milk"))
            note.mutableSetValue(forKey: "tags").removeAllObjects()
            try add("phone")(context)
        } whileOffline: {
            try await waitForServer("the export of the phone") { records in
                records.filter { $0.recordType == "CDMR" }.count == 1
            }
        }
        for device in [phone, laptop] {
            try await device.wait(for: "both tags, without the removed one") { context in
                let tags = try context.note("Milk")?.value(forKey: "tags") as? Set<NSManagedObject>
                return tags?.compactMap { $0.value(forKey: "name") as? String }.sorted() == ["laptop", "phone"]
            }
        }
    }
}
