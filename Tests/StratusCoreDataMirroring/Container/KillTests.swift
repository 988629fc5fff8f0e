import CloudKit
import CoreData
import Foundation
import StratusTestSupport
import StratusTesting
import StratusWaiting
import Synchronization
import Testing

/// A process that is killed while it mirrors its store goes on where it was when it starts again.
@Suite struct KillTests {
    /// Copies the files of a store at the moment of an event, and keeps the mirror from going on.
    private final class Kill: Sendable {
        let copy: TemporaryDirectory
        private let state: Mutex<(remaining: Int, isDone: Bool)>
        private let release = DispatchSemaphore(value: 0)
        private let directory: TemporaryDirectory

        init(at event: Int, in directory: TemporaryDirectory) throws {
            copy = try TemporaryDirectory(inMemory: true)
            state = Mutex((event, false))
            self.directory = directory
        }

        var isDone: Bool { state.withLock { $0.isDone } }

        /// Lets the queue of the killed mirror end.
        func endProcess() { release.signal() }

        func eventHappened() {
            let isNow = state.withLock { state in
                state.remaining -= 1
                return state.remaining == 0
            }
            guard isNow else { return }
            for name in ["notes.sqlite", "notes.sqlite-wal"] {
                // A log need not exist.
                try? FileManager.default.copyItem(
                    atPath: "\(directory.path)/\(name)", toPath: "\(copy.path)/\(name)")
            }
            state.withLock { $0.isDone = true }
            release.wait()
        }
    }

    /// Whether two devices have the notes with certain titles.
    private static func have(_ titles: [String], _ first: MirroredDevice, _ second: MirroredDevice) async throws -> Bool
    {
        let found = try await first.read { try $0.titles() }
        let others = try await second.read { try $0.titles() }
        return found == titles && others == titles
    }

    /// Inserts a note with a folder and a tag, and changes the note before it.
    private static func change(_ context: NSManagedObjectContext, _ step: Int) throws {
        let note = context.insert("Note", ["title": "phone \(step)"])
        note.setValue(
            try context.only("Folder", "name", "F") ?? context.insert("Folder", ["name": "F"]), forKey: "folder")
        note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "phone \(step)"]))
        if step > 0 { try context.note("phone \(step - 1)")?.setValue("changed", forKey: "text") }
    }

    @Test(arguments: 1...24) func aKilledMirrorGoesOn(event: Int) async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 2))
        let ada = cloud.account("ada")
        let laptop = try MirroredDevice(ada.device("laptop"))
        let directory = try TemporaryDirectory(inMemory: true)
        let kill = try Kill(at: event, in: directory)
        var phone = try MirroredDevice(ada.device("phone"), in: directory) { kill.eventHappened() }
        var expected: [String] = []
        var isKilled = false
        for step in 0..<4 {
            let title = "phone \(step)"
            try await phone.save { try Self.change($0, step) }
            try await laptop.save { _ = $0.insert("Note", ["title": "laptop \(step)"]) }
            expected += [title, "laptop \(step)"]
            let wanted = expected.sorted()
            try await wait(for: "the step, or the end of the process") { [phone] in
                if kill.isDone, !isKilled { return true }
                return try await Self.have(wanted, phone, laptop)
            }
            if kill.isDone, !isKilled {
                isKilled = true
                try phone.quit()
                kill.endProcess()
                phone = try MirroredDevice(ada.device("phone"), in: kill.copy)
                // The process may have been killed before it could save.
                if try await phone.read({ try $0.note(title) == nil }) {
                    try await phone.save { try Self.change($0, step) }
                }
                // The laptop sees what the phone sends from now on, and nothing twice.
                try await wait(for: "the step") { [phone] in try await Self.have(wanted, phone, laptop) }
            }
        }
        for device in [phone, laptop] {
            try await wait(for: "the same everywhere") {
                try await device.read { context in
                    let notes = try context.only("Folder", "name", "F")?.value(forKey: "notes") as? Set<NSManagedObject>
                    return try notes?.count == 4
                        && (0..<4).allSatisfy { number in
                            let note = try context.note("phone \(number)")
                            return (note?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
                                && (number == 3 || note?.value(forKey: "text") as? String == "changed")
                        }
                }
            }
        }
        let records = try await cloud.records(
            in: .mirroredHome, of: ada)
        #expect(records.count == 17, "notes of both, the folder, tags and links")
    }
}
