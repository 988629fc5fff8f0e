import CloudKit
import CoreData
import Foundation
import StratusTestSupport
import StratusTesting
import StratusWaiting
import Testing

/// Apps that end and start again, and stores that existed before they were mirrored.
@Suite struct RestartTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let directory: TemporaryDirectory

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
        directory = try TemporaryDirectory(inMemory: true)
    }

    @Test func restartsBetweenAllStepsLoseNothing() async throws {
        var phone = try MirroredDevice(ada.device("phone"), in: directory)
        var laptop = try MirroredDevice(ada.device("laptop"))
        for number in 0..<6 {
            try await phone.save { context in
                let note = context.insert("Note", ["title": "phone \(number)"])
                let folder = try context.only("Folder", "name", "F") ?? context.insert("Folder", ["name": "F"])
                note.setValue(folder, forKey: "folder")
            }
            phone = try phone.restarted()
            try await laptop.save { _ = $0.insert("Note", ["title": "laptop \(number)"]) }
            laptop = try laptop.restarted()
        }
        let expected = (0..<6).map { "laptop \($0)" } + (0..<6).map { "phone \($0)" }
        for device in [phone, laptop] {
            try await device.wait(for: "all notes") { context in
                let notes = try context.only("Folder", "name", "F")?.value(forKey: "notes") as? Set<NSManagedObject>
                return try context.titles() == expected && notes?.count == 6
            }
        }
    }

    @Test(arguments: [false, true])
    func aStoreThatWasNotMirroredIsSent(keptHistory: Bool) async throws {
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: Notebook.model())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: directory.path + "/notes.sqlite"))
        if keptHistory { description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        try await container.performBackgroundTask { context in
            let note = context.insert("Note", ["title": "old"])
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "T"]))
            try context.save()
        }
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        let phone = try MirroredDevice(ada.device("phone"), in: directory)
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.wait(for: "the note with its tag") { context in
            (try context.note("old")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
        #expect(try await phone.read { try $0.titles() } == ["old"])
    }

    @Test func historyMayBeDeletedAtAnyTime() async throws {
        var phone = try MirroredDevice(ada.device("phone"), in: directory)
        try await phone.save { context in
            for title in ["kept", "deleted", "changed"] { context.insert("Note", ["title": title]) }
        }
        try await phone.waitForRecords("the notes", in: cloud, of: ada) { $0.count == 3 }
        try phone.quit()
        // The program works without the mirror, and deletes the history before the mirror has seen it.
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: Notebook.model())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: directory.path + "/notes.sqlite"))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        try await container.performBackgroundTask { context in
            if let note = try context.note("deleted") { context.delete(note) }
            try context.note("changed")?.setValue("new title", forKey: "title")
            context.insert("Note", ["title": "added"])
            try context.save()
            let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
            _ = try context.execute(request)
        }
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        phone = try phone.restarted(hasQuit: true)
        try await phone.waitForRecords("the changes", in: cloud, of: ada) { records in
            records.compactMap { $0["CD_title"] as? String }.sorted() == ["added", "kept", "new title"]
        }
    }

    @Test func aLargeStoreIsSentAsAWhole() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let device = ada.device("phone")
        device.signOut()
        let phone = try MirroredDevice(device, in: directory)
        try await phone.save { context in
            let tag = context.insert("Tag", ["name": "all"])
            for number in 0..<1_100 {
                context.insert("Note", ["title": "\(number)"]).mutableSetValue(forKey: "tags").add(tag)
            }
        }
        device.signIn(as: ada)
        try await phone.waitForRecords("all records", in: cloud, of: ada) { $0.count == 2_201 }
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.wait(for: "all notes with the tag") { context in
            (try context.only("Tag", "name", "all")?.value(forKey: "notes") as? Set<NSManagedObject>)?.count == 1_100
        }
    }

    @Test func twoContainersOfOneFileMirrorItOnce() async throws {
        let phone = try MirroredDevice(ada.device("phone"), in: directory)
        let second = try MirroredDevice(ada.device("phone"), in: directory)
        try await second.save { _ = $0.insert("Note", ["title": "second"]) }
        // Either of the two may mirror the file, so that no events are waited for.
        try await StratusWaiting.wait(for: "the note of the second") {
            guard try await !cloud.zones(of: ada).isEmpty else { return false }
            return try await cloud.records(in: .mirroredHome, of: ada).count == 1
        }
        try phone.quit()
        // The second one takes over.
        try await second.save { _ = $0.insert("Note", ["title": "third"]) }
        try await StratusWaiting.wait(for: "the next note") {
            try await cloud.records(in: .mirroredHome, of: ada).count == 2
        }
    }
}
