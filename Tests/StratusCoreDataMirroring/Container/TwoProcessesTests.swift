import CloudKit
import CoreData
import Foundation
import StratusTestSupport
import StratusTesting
import StratusWaiting
import Testing

/// Two processes that have a mirrored store open: one of them mirrors it.
@Suite struct TwoProcessesTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let directory: TemporaryDirectory

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
        directory = try TemporaryDirectory(inMemory: true)
    }

    private func records() async throws -> [String] {
        let zoneID = CKRecordZone.ID.mirroredHome
        return try await cloud.records(in: zoneID, of: ada).compactMap { $0["CD_title"] as? String }.sorted()
    }

    /// Opens a store as another process, which has a cloud of its own.
    private static func otherApp(in path: String, _ cloud: LocalCloud) throws -> MirroredDevice {
        try MirroredDevice(cloud.account("ada").device("phone"), at: path)
    }

    @Test func savesOfTheOtherProcessAreSentByTheOneThatMirrors() async throws {
        let app = try MirroredDevice(ada.device("phone"), in: directory)
        try await app.save { _ = $0.insert("Note", ["title": "Milk"]) }
        try await app.waitForRecords("the first note", in: cloud, of: ada) { $0.count == 1 }
        let path = directory.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let cloud = try await LocalCloud()
            let app = try Self.otherApp(in: path, cloud)
            try await app.save { context in
                try context.note("Milk")?.setValue("two", forKey: "text")
                context.insert("Note", ["title": "Bread"])
            }
            let events = try await app.events().filter { $0.type == .setup }
            #expect(events.count == 1, "the setup of the process that mirrors the store")
            #expect(cloud.requests.isEmpty)
        }
        // A save of its own is not needed: the store is looked at when the file has changed.
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.wait(for: "the saves of the other process") { context in
            try context.titles() == ["Bread", "Milk"] && context.note("Milk")?.value(forKey: "text") as? String == "two"
        }
        #expect(try await records() == ["Bread", "Milk"])
        #expect(try await app.read { try $0.titles() } == ["Bread", "Milk"])
    }

    @Test func theOtherProcessTakesOverWhenTheFirstOneIsKilled() async throws {
        let path = directory.path
        let (isMirrored, isToEnd) = (path + "/is-mirrored", path + "/is-to-end")
        async let first: Void = Self.mirrorUntilKilled(path, isMirrored, isToEnd)
        try await wait(for: "the first process") { FileManager.default.fileExists(atPath: isMirrored) }
        let app = try MirroredDevice(ada.device("phone"), in: directory)
        try await app.save { _ = $0.insert("Note", ["title": "Bread"]) }
        #expect(cloud.requests.isEmpty)
        #expect(try await app.events().count { $0.type == .setup } == 1)
        try Data().write(to: URL(fileURLWithPath: isToEnd))
        await first
        try await app.waitForRecords("the notes of both", in: cloud, of: ada) { $0.count == 2 }
        #expect(try await records() == ["Bread", "Milk"])
        #expect(try await app.read { try $0.titles() } == ["Bread", "Milk"])
        #expect(try await app.events().count { $0.type == .setup } == 2)
    }

    /// Mirrors the store in another process, where nobody is signed in, until a file is there.
    private static func mirrorUntilKilled(_ path: String, _ isMirrored: String, _ isToEnd: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, isMirrored = isMirrored as String, isToEnd = isToEnd as String] in
            let cloud = try await LocalCloud()
            cloud.account("ada").device("phone").signOut()
            let app = try Self.otherApp(in: path, cloud)
            _ = try await app.wait(forEvent: "the setup") { $0.type == .setup }
            try await app.save { _ = $0.insert("Note", ["title": "Milk"]) }
            try Data().write(to: URL(fileURLWithPath: isMirrored))
            try await wait(for: "the end") { FileManager.default.fileExists(atPath: isToEnd) }
            kill(getpid(), SIGKILL)
        }
    }
}
