import CloudKit
import CoreData
import StratusTesting
import Testing

/// Exports that do not succeed at once.
@Suite struct ExportFailureTests {

    private func titles(_ records: [CKRecord]) -> [String] { records.compactMap { $0["CD_title"] as? String }.sorted() }

    @Test(
        "what the network breaks is sent again, and once",
        arguments: [
            LocalCloud.Fault.offline, .dropBeforeCommit, .dropAfterCommit, .throttle(retryAfter: 5),
            .busy(retryAfter: 5), .error(.zoneBusy),
        ])
    func transientFailures(_ fault: LocalCloud.Fault) async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let app = try MirroredDevice(ada.device("phone"))
        try await app.save { _ = $0.insert("Note", ["title": "first"]) }
        try await app.waitForRecords("the first note", in: cloud, of: ada) { titles($0) == ["first"] }
        cloud.faults.inject(fault, on: .saveRecords, times: 4)
        try await app.save { context in
            try context.note("first")?.setValue("second", forKey: "title")
            for number in 0..<10 { context.insert("Note", ["title": "\(number)"]) }
        }
        let expected = (0..<10).map { "\($0)" } + ["second"]
        try await app.waitForRecords("everything", in: cloud, of: ada) { titles($0) == expected }
        let other = try MirroredDevice(ada.device("laptop"))
        try await other.wait(for: "everything") { try $0.titles() == expected }
        #expect(try await app.read { try $0.titles() } == expected)
    }

    @Test func aFullAccountIsReportedAndTheRestGoesOn() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let app = try MirroredDevice(ada.device("phone"))
        try await app.save { _ = $0.insert("Note", ["title": "first"]) }
        try await app.waitForRecords("the first note", in: cloud, of: ada) { titles($0) == ["first"] }
        let full = cloud.faults.inject(.quotaExceeded, on: .saveRecords, times: nil)
        let id = try await app.save { context in
            let note = context.insert("Note", ["title": "second"])
            try context.obtainPermanentIDs(for: [note])
            return note.objectID.uriRepresentation().absoluteString
        }
        let event = try await app.wait(forEvent: "the failed export") { $0.type == .export && !$0.succeeded }
        #expect((event.error as NSError?)?.domain == CKErrorDomain)
        #expect(event.error?.localizedDescription.contains(id) == true, "the object is named")
        // A deletion makes room, and is a save that begins another attempt.
        full.remove()
        try await app.save { context in
            if let note = try context.note("first") { context.delete(note) }
        }
        try await app.waitForRecords("the second note", in: cloud, of: ada) { titles($0) == ["second"] }
    }

    @Test func aRecordThatIsRefusedDoesNotKeepOthersBack() async throws {
        let schema = """
            DEFINE SCHEMA
            RECORD TYPE CD_Tag (CD_entityName STRING, CD_name STRING, GRANT WRITE TO "_creator", GRANT READ TO "_world");
            """
        let cloud = try await LocalCloud(LocalCloud.Options(environment: .production, schema: schema))
        let ada = cloud.account("ada")
        let app = try MirroredDevice(ada.device("phone"))
        try await app.save { context in
            context.insert("Note", ["title": "unknown"])
            context.insert("Tag", ["name": "known"])
        }
        try await app.waitForRecords("the known tag", in: cloud, of: ada) { records in
            records.compactMap { $0["CD_name"] as? String } == ["known"]
        }
        let event = try await app.wait(forEvent: "the failed export") { $0.type == .export && !$0.succeeded }
        #expect(event.error?.localizedDescription.contains("/Note/") == true, "the object is named")
        #expect(try await app.read { try $0.titles() } == ["unknown"])
    }

    @Test func anObjectThatChangesOftenIsSentOnce() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let app = try MirroredDevice(ada.device("phone"))
        try await app.save { _ = $0.insert("Note", ["title": "0"]) }
        try await app.waitForRecords("the note", in: cloud, of: ada) { titles($0) == ["0"] }
        cloud.clock.stop()
        let before = cloud.requests.filter { $0.calls.contains(.saveRecords) }.count
        for number in 0..<5 {
            try await app.save { try $0.note("\(number)")?.setValue("\(number + 1)", forKey: "title") }
        }
        cloud.clock.resume()
        try await app.waitForRecords("the last title", in: cloud, of: ada) { titles($0) == ["5"] }
        #expect(cloud.requests.filter { $0.calls.contains(.saveRecords) }.count == before + 1)
        // A save that changes nothing in the record is not sent.
        try await app.save { context in
            let note = try context.note("5")
            note?.setValue("6", forKey: "title")
            note?.setValue("5", forKey: "title")
            context.insert("Tag", ["name": "end"])
        }
        try await app.waitForRecords("the end", in: cloud, of: ada) { $0.count == 2 }
        let saved = cloud.requests.last { $0.calls.contains(.saveRecords) }
        #expect(saved?.recordIDs.count == 1)
    }
}
