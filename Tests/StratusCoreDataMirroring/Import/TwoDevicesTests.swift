import CloudKit
import CoreData
import StratusTesting
import Testing

/// Two devices of one person, each with its own store.
@Suite struct TwoDevicesTests {
    private let cloud: LocalCloud
    private let phone: MirroredDevice
    private let laptop: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        phone = try MirroredDevice(cloud.account("ada").device("phone"))
        laptop = try MirroredDevice(cloud.account("ada").device("laptop"))
    }

    @Test func anObjectArrives() async throws {
        try await phone.save { _ = $0.insert("Note", ["title": "Milk", "pages": Int64(3), "text": "x"]) }
        try await laptop.wait(for: "the note") { try $0.note("Milk") != nil }
        #expect(try await laptop.read { try $0.note("Milk")?.value(forKey: "pages") as? Int64 } == 3)
        #expect(try await laptop.read { try $0.note("Milk")?.value(forKey: "text") as? String } == "x")
    }

    @Test func anObjectOfASubentityArrivesAsSuch() async throws {
        try await phone.save { context in
            let list = context.insert("Checklist", ["title": "Shopping", "isDone": true])
            list.setValue(context.insert("Folder", ["name": "F"]), forKey: "folder")
            list.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "today"]))
        }
        try await laptop.wait(for: "the list") { context in
            let list = try context.only("Checklist", "title", "Shopping")
            return list?.value(forKey: "isDone") as? Bool == true
                && (list?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
                && (list?.value(forKey: "folder") as? NSManagedObject)?.value(forKey: "name") as? String == "F"
        }
        try await laptop.save { try $0.note("Shopping")?.setValue(false, forKey: "isDone") }
        try await phone.wait(for: "the change") { context in
            try context.only("Checklist", "title", "Shopping")?.value(forKey: "isDone") as? Bool == false
        }
        let zoneID = CKRecordZone.ID.mirroredHome
        let types = try await cloud.records(in: zoneID, of: cloud.account("ada")).map(\.recordType)
        #expect(types.sorted() == ["CDMR", "CD_Folder", "CD_Note", "CD_Tag"])
    }

    @Test func changesAndDeletionsArriveInBothDirections() async throws {
        try await phone.save { _ = $0.insert("Note", ["title": "Milk"]) }
        try await laptop.wait(for: "the note") { try $0.note("Milk") != nil }
        try await laptop.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        try await phone.wait(for: "the new title") { try $0.titles() == ["Bread"] }
        try await phone.save { context in
            if let note = try context.note("Bread") { context.delete(note) }
        }
        try await laptop.wait(for: "the deletion") { try $0.titles() == [] }
        let zoneID = CKRecordZone.ID.mirroredHome
        #expect(try await cloud.records(in: zoneID, of: cloud.account("ada")).isEmpty)
    }

    @Test func relationshipsOfAllKindsArrive() async throws {
        try await phone.save { context in
            let note = context.insert("Note", ["title": "Milk"])
            note.setValue(context.insert("Folder", ["name": "Shopping"]), forKey: "folder")
            note.setValue(context.insert("Cover", ["color": "red"]), forKey: "cover")
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "today"]))
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "cheap"]))
            note.mutableSetValue(forKey: "mentions").add(context.insert("Note", ["title": "Bread"]))
        }
        try await laptop.wait(for: "everything") { context in
            guard let note = try context.note("Milk"), let bread = try context.note("Bread") else { return false }
            let tags = note.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            let mentions = note.value(forKey: "mentions") as? Set<NSManagedObject> ?? []
            return (note.value(forKey: "folder") as? NSManagedObject)?.value(forKey: "name") as? String == "Shopping"
                && (note.value(forKey: "cover") as? NSManagedObject)?.value(forKey: "color") as? String == "red"
                && tags.compactMap { $0.value(forKey: "name") as? String }.sorted() == ["cheap", "today"]
                && mentions == [bread] && (bread.value(forKey: "mentions") as? Set<NSManagedObject>)?.isEmpty == true
        }
        try await laptop.save { context in
            let note = try #require(try context.note("Milk"))
            let tag = try #require(try context.only("Tag", "name", "cheap"))
            note.mutableSetValue(forKey: "tags").remove(tag)
            note.setValue(nil, forKey: "folder")
        }
        try await phone.wait(for: "the removed tag and folder") { context in
            let note = try context.note("Milk")
            return (note?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
                && note?.value(forKey: "folder") == nil
        }
        // The cover goes with its note.
        try await phone.save { context in
            if let note = try context.note("Milk") { context.delete(note) }
        }
        try await laptop.wait(for: "the deletion") { context in
            let covers = NSFetchRequest<NSManagedObject>(entityName: "Cover")
            return try context.titles() == ["Bread"] && context.count(for: covers) == 0
        }
    }
}
