import CloudKit
import CoreData
import StratusTesting
import Testing

/// Records that come in ways that devices with this library do not send them, or apart from each other.
@Suite struct ImportTests {

    private func record(_ entity: String, _ name: String, _ fields: [String: String]) -> CKRecord {
        let record = CKRecord(
            recordType: "CD_\(entity)", recordID: CKRecord.ID(recordName: name, zoneID: .mirroredHome))
        record["CD_entityName"] = entity
        for (key, value) in fields { record["CD_\(key)"] = value }
        return record
    }

    private func link(_ name: String, _ records: String) -> CKRecord {
        let link = CKRecord(recordType: "CDMR", recordID: CKRecord.ID(recordName: name, zoneID: .mirroredHome))
        link["CD_entityNames"] = "Note:Tag"
        link["CD_recordNames"] = records
        link["CD_relationships"] = "tags:notes"
        return link
    }

    private func save(_ records: CKRecord..., deleting names: [String] = [], in database: CKDatabase) async throws {
        let ids = names.map { CKRecord.ID(recordName: $0, zoneID: .mirroredHome) }
        _ = try await database.modifyRecords(saving: records, deleting: ids, savePolicy: .changedKeys)
    }

    @Test func relationshipsArriveApart() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 1))
        let ada = cloud.account("ada")
        let phone = try MirroredDevice(ada.device("phone"))
        try await phone.save { context in
            let folder = context.insert("Folder", ["name": "F"])
            let tags = (0..<3).map { context.insert("Tag", ["name": "\($0)"]) }
            for number in 0..<5 {
                let note = context.insert("Note", ["title": "\(number)"])
                note.setValue(folder, forKey: "folder")
                note.mutableSetValue(forKey: "tags").addObjects(from: tags)
            }
        }
        try await phone.waitForRecords("all records", in: cloud, of: ada) { $0.count == 24 }
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.wait(for: "everything") { context in
            let notes = try context.only("Folder", "name", "F")?.value(forKey: "notes") as? Set<NSManagedObject> ?? []
            return notes.count == 5
                && notes.allSatisfy { ($0.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 3 }
        }
    }

    @Test func recordsWaitForEachOther() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.device("mac").container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: .mirroredHome))
        try await save(
            record("Note", "n1", ["title": "Milk", "folder": "f1"]), link("random-1", "n1:t1"),
            record("Future", "x1", ["name": "of a later version"]), in: database)
        let app = try MirroredDevice(ada.device("phone"))
        try await app.wait(for: "the note") { try $0.note("Milk") != nil }
        // An export meanwhile does not lose the reference.
        try await app.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        try await app.waitForRecords("the new title", in: cloud, of: ada) { records in
            records.contains { $0["CD_title"] as? String == "Bread" && $0["CD_folder"] as? String == "f1" }
        }
        try await save(
            record("Folder", "f1", ["name": "Shopping"]), record("Tag", "t1", ["name": "today"]), in: database)
        try await app.wait(for: "folder and tag") { context in
            let note = try context.note("Bread")
            return (note?.value(forKey: "folder") as? NSManagedObject)?.value(forKey: "name") as? String == "Shopping"
                && (note?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
        // The link goes with its record, whatever that is called.
        try await save(deleting: ["random-1"], in: database)
        try await app.wait(for: "the removed tag") { context in
            (try context.note("Bread")?.value(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty == true
        }
        try await save(link("random-2", "n1:t1"), in: database)
        try await app.wait(for: "the tag") { context in
            (try context.note("Bread")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
        try await app.save { try $0.note("Bread")?.mutableSetValue(forKey: "tags").removeAllObjects() }
        try await app.waitForRecords("the removal", in: cloud, of: ada) { records in
            !records.contains { $0.recordType == "CDMR" } && records.contains { $0.recordType == "CD_Future" }
        }
    }

    @Test func aRecordThatNoObjectCanHoldIsReported() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.device("mac").container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: .mirroredHome))
        try await save(
            record("Note", "n1", ["title": "wrong", "pages": "many"]), record("Note", "n2", ["title": "right"]),
            in: database)
        let app = try MirroredDevice(ada.device("phone"))
        let event = try await app.wait(forEvent: "the failed import") { $0.type == .import && !$0.succeeded }
        #expect(event.error?.localizedDescription.contains("n1") == true)
        #expect(try await app.read { try $0.titles() } == ["right"])
        let fixed = try await database.record(for: CKRecord.ID(recordName: "n1", zoneID: .mirroredHome))
        #expect(fixed["CD_pages"] as? String == "many")
    }

    @Test func largeValuesArrive() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let (phone, laptop) = (try MirroredDevice(ada.device("phone")), try MirroredDevice(ada.device("laptop")))
        let text = String(repeating: "milk and bread ", count: 100_000)
        try await phone.save { _ = $0.insert("Note", ["title": "large", "text": text]) }
        try await laptop.wait(for: "the text") { try $0.note("large")?.value(forKey: "text") as? String == text }
        cloud.forgetRequests()
        try await laptop.save { try $0.note("large")?.setValue(Int64(7), forKey: "pages") }
        try await phone.wait(for: "the change") { try $0.note("large")?.value(forKey: "pages") as? Int64 == 7 }
        #expect(try await phone.read { try $0.note("large")?.value(forKey: "text") as? String } == text)
        #expect(cloud.requests(.uploadAssets).isEmpty, "the text is not sent again")
        try await laptop.save { try $0.note("large")?.setValue("small", forKey: "text") }
        try await phone.wait(for: "the small text") { context in
            try context.note("large")?.value(forKey: "text") as? String == "small"
        }
    }

    @Test func keysThatWereGivenUpLetEverythingBeSentAgain() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let app = try MirroredDevice(ada.device("phone"))
        try await app.save { context in
            let note = context.insert("Note", ["title": "Milk"])
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "today"]))
        }
        try await app.waitForRecords("the records", in: cloud, of: ada) { $0.count == 3 }
        // A secret of another program's makes the zone one with encrypted values.
        let container = app.device.container
        let secret = CKRecord(recordType: "Secret", recordID: CKRecord.ID(recordName: "s", zoneID: .mirroredHome))
        secret.encryptedValues["text"] = "Hush"
        try await container.privateCloudDatabase.save(secret)
        _ = try await container.encryption.resetEncryptedData()
        let again = try app.restarted()
        try await again.waitForRecords("the records again", in: cloud, of: ada) { $0.count == 3 }
        #expect(try await again.read { try $0.titles() } == ["Milk"])
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.wait(for: "the note with its tag") { context in
            (try context.note("Milk")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
    }

    @Test func programsSaveWhileChangesArrive() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 3))
        let ada = cloud.account("ada")
        let (phone, laptop) = (try MirroredDevice(ada.device("phone")), try MirroredDevice(ada.device("laptop")))
        try await phone.save { context in
            for number in 0..<20 { context.insert("Note", ["title": "\(number)"]) }
        }
        try await laptop.wait(for: "the notes") { try $0.titles().count == 20 }
        // Each device changes an attribute of its own, and both save as often as they can.
        async let ofPhone: Void = {
            for round in 1...10 {
                try await phone.save { context in
                    for number in 0..<20 { try context.note("\(number)")?.setValue(Int64(round), forKey: "pages") }
                }
            }
        }()
        async let ofLaptop: Void = {
            for round in 1...10 {
                try await laptop.save { context in
                    for number in 0..<20 { try context.note("\(number)")?.setValue("\(round)", forKey: "text") }
                }
            }
        }()
        _ = try await (ofPhone, ofLaptop)
        for device in [phone, laptop] {
            try await device.wait(for: "the last changes of both") { context in
                try (0..<20).allSatisfy { number in
                    let note = try context.note("\(number)")
                    return note?.value(forKey: "pages") as? Int64 == 10
                        && note?.value(forKey: "text") as? String == "10"
                }
            }
        }
    }
}
