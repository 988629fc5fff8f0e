import CloudKit
import CoreData
import StratusCoreData
import StratusCoreDataMirroring
import StratusMirrorEvents
import StratusTestSupport
import StratusTesting
import Synchronization
import Testing

/// Stores on a disk without room.
@Suite struct FullDiskTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let controls = MirroringControls()
    private let phone: MirroredDevice
    /// More than the free pages of a file hold.
    private static let text = String(repeating: "long ", count: 40_000)

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
        phone = try MirroredDevice(
            ada.device("phone"), in: TemporaryDirectory(inMemory: true), controls: controls)
        await phone.container.waitUntilMirrored()
        try await phone.save { _ = $0.insert("Note", ["title": "Milk"]) }
        await phone.container.synchronizeMirrors()
    }

    /// Keeps the file of a store from growing.
    private static func fill(_ store: NSPersistentStore) {
        do {
            // The least that SQLite takes is the size that the file has.
            try store.reading { _ = try $0.statement("PRAGMA max_page_count = 1").first { $0.integer(0) } }
        } catch {
            Issue.record(error)
        }
    }

    /// Synchronizes the phone, and returns the error of the first event of a kind that fails.
    private func error(of type: NSPersistentCloudKitContainer.EventType) async throws -> NSError? {
        let found = Mutex<NSError?>(nil)
        try await phone.container.wait(for: "the failure") { [phone] event in
            guard let event else {
                await phone.container.synchronizeMirrors()
                return false
            }
            guard event.type == type, event.endDate != nil, let error = event.error else { return false }
            found.withLock { $0 = error as NSError }
            return true
        }
        return found.withLock { $0 }
    }

    private func check(_ error: NSError?) {
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
    }

    @Test func anImportBeginsAgain() async throws {
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.save { _ = $0.insert("Note", ["title": "Bread", "text": Self.text]) }
        try await laptop.waitForRecords("the note", in: cloud, of: ada) { $0.count == 2 }
        Self.fill(try phone.store(.private))
        check(try await error(of: .import))
        #expect(try await phone.read { try $0.titles() } == ["Milk"])
        let restarted = try phone.restarted()
        try await restarted.wait(for: "the note") { context in
            try context.note("Bread")?.value(forKey: "text") as? String == Self.text
        }
        #expect(try await restarted.read { try $0.titles() } == ["Bread", "Milk"])
    }

    @Test func anExportWhoseAnswerCouldNotBeNotedIsNotDoubled() async throws {
        try await phone.save { _ = $0.insert("Note", ["title": "Bread", "text": Self.text]) }
        let store = try phone.store(.private)
        controls.setCheckpoint { if $0 == "batch built" { Self.fill(store) } }
        check(try await error(of: .export))
        controls.setCheckpoint(nil)
        let zoneID = CKRecordZone.ID.mirroredHome
        let sent = try await cloud.records(in: zoneID, of: ada).map(\.recordID)
        #expect(sent.count == 2, "the server has the record, and the store does not know it")
        let restarted = try phone.restarted()
        try await restarted.save { try $0.note("Bread")?.setValue(Int64(7), forKey: "pages") }
        try await restarted.waitForRecords("the change", in: cloud, of: ada) { records in
            records.contains { $0["CD_pages"] as? Int64 == 7 }
        }
        #expect(Set(try await cloud.records(in: zoneID, of: ada).map(\.recordID)) == Set(sent))
        #expect(try await restarted.read { try $0.titles() } == ["Bread", "Milk"])
        #expect(try await restarted.read { try $0.note("Bread")?.value(forKey: "text") as? String } == Self.text)
    }

    @Test func aStoreThatCannotNoteWhatWasSavedSendsItLater() async throws {
        // The notes are in the file, which has no room for what the mirror notes of them.
        try await phone.save { context in
            for number in 0..<1_000 { context.insert("Note", ["title": "\(number)"]) }
        }
        Self.fill(try phone.store(.private))
        check(try await error(of: .export))
        #expect(try await phone.read { try $0.titles().count } == 1_001)
        let restarted = try phone.restarted()
        try await restarted.waitForRecords("all notes", in: cloud, of: ada) { $0.count == 1_001 }
        #expect(try await restarted.read { try $0.titles().count } == 1_001)
    }
}
