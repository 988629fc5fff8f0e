import CoreData
import Foundation
import StratusTesting
import StratusWaiting
import Testing

/// `stratus mirror`, on stores that are open and on closed ones.
@Suite struct MirrorCommandTests {
    private let tool: Tool
    private let store: MirroredStore

    init() async throws {
        tool = try Tool()
        store = try await MirroredStore(in: tool.folder)
    }

    private func show(_ arguments: String...) async throws -> [String: Any] {
        let run = try await tool.run(["mirror", store.path, "--json"] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        return try run.object()
    }

    /// Waits until a run of the tool shows something.
    private func wait(for what: String, _ isShown: @escaping ([String: Any]) -> Bool) async throws {
        try await StratusWaiting.wait(for: what) { isShown(try await self.show()) }
    }

    @Test func aStoreInUseIsShown() async throws {
        let id = try await store.insert("Milk", isTagged: true)
        try await store.waitForExport(of: id)
        try await wait(for: "the end of the export") { shown in
            let zone = (shown["zones"] as? [[String: Any]])?.first
            return zone?["objects"] as? Int == 2 && zone?["links"] as? Int == 1 && zone?["waitingSaves"] as? Int == 0
                && zone?["isSaved"] as? Bool == true
                && (shown["events"] as? [[String: Any]] ?? []).contains {
                    $0["type"] as? String == "export" && $0["succeeded"] as? Bool == true
                }
        }
        let shown = try await show()
        let identifier = store.container.persistentStoreCoordinator.persistentStores.first?.identifier
        #expect(shown["store"] as? String == identifier)
        #expect(shown["account"] is String && shown["databaseToken"] is String, "\(shown)")
        let history = try #require(shown["history"] as? [String: Int])
        #expect(history["noted"] ?? 0 > 0 && history["noted"] == history["last"])
        let events = try #require(shown["events"] as? [[String: Any]])
        #expect(events.first?["type"] as? String == "setup" && events.first?["succeeded"] as? Bool == true)
        #expect(events.contains { $0["type"] as? String == "export" && $0["succeeded"] as? Bool == true })
        let newest = try await show("--limit", "1")["events"] as? [[String: Any]]
        #expect(newest?.count == 1 && newest?.first?["type"] as? String != "setup")
        let text = try await tool.run(["mirror", store.path]).output
        for part in ["2 objects, 1 links", "which is the last one", "zone com.apple.coredata.cloudkit.zone", "export"] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func whatWaitsIsShown() async throws {
        let sent = try await store.insert("Milk")
        try await store.waitForExport(of: sent)
        store.cloud.faults.inject(.offline, times: nil)
        let kept = try await store.insert("Bread", isTagged: true)
        try await wait(for: "the note") { (($0["zones"] as? [[String: Any]])?.first)?["waitingSaves"] as? Int == 3 }
        let waiting = try #require(try await show("--waiting")["waiting"] as? [[String: Any]])
        #expect(waiting.count == 3 && waiting.allSatisfy { $0["waits"] as? String == "save" })
        let key = kept.uriRepresentation().lastPathComponent.dropFirst()
        #expect(waiting.first?["object"] as? String == "Note/\(key)")
        #expect((waiting.last?["link"] as? [String: String])?["relationship"] == "Note.tags.Tag.notes")
        #expect(try await (show("--waiting", "--limit", "1")["waiting"] as? [Any])?.count == 1)
        let object = try await show("Note/\(key)")
        #expect(object["server"] == nil && object["changed"] is String)
        let text = try await tool.run(["mirror", store.path, "--waiting"]).output
        #expect(text.contains("Note/\(key)") && text.contains("link Note.tags.Tag.notes"))
    }

    @Test func anObjectIsShownByItsNames() async throws {
        let id = try await store.insert("Mil\u{1B}k", isTagged: true)
        try await store.waitForExport(of: id)
        let name = try #require(store.container.recordID(for: id)?.recordName)
        let uri = id.uriRepresentation()
        let key = "Note/" + uri.lastPathComponent
        for text in [uri.absoluteString, key, key.replacing("/p", with: "/"), name] {
            let shown = try await show(text)
            #expect((shown["record"] as? [String: Any])?["recordName"] as? String == name)
            let server = try #require(shown["server"] as? [String: Any])
            #expect(server["recordType"] as? String == "CD_Note" && server["recordChangeTag"] is String)
            let fields = try #require(server["fields"] as? [[String: Any]])
            let values = Dictionary(uniqueKeysWithValues: fields.map { ($0["name"] as? String ?? "", $0["value"]) })
            #expect(values["CD_title"] as? String == "Mil\u{1B}k" && values["CD_pages"] as? Int == 3)
            #expect(values["CD_weight"] as? Double == 0.5)
            #expect((values["CD_due"] as? String)?.hasPrefix("2027-01-15T08:00:00") == true)
            let secret = fields.first { $0["name"] as? String == "CD_secret" }
            #expect(secret?["isEncrypted"] as? Bool == true)
            #expect((shown["links"] as? [[String: Any]])?.count == 1)
        }
        let text = try await tool.run(["mirror", store.path, key]).output
        #expect(text.contains("CD_title") && text.contains("Mil\u{FFFD}k"), "\(text)")
        #expect(!text.contains("\u{1B}") && text.contains("Note.tags.Tag.notes"))
        let wrong = [
            ("Note/999", "NOT_FOUND"), ("nothing", "NOT_FOUND"), ("x-coredata://x/Note/p1", "BAD_REQUEST"),
        ]
        for (text, code) in wrong {
            let run = try await tool.run(["mirror", store.path, text, "--json"])
            #expect(run.status == 1)
            #expect(try run.errorObject()["error"] as? String == code)
        }
    }

    /// The names and contents of all files in the folder of a store.
    private func files(beside path: String) throws -> [String: Data] {
        let folder = URL(filePath: path).deletingLastPathComponent()
        var files: [String: Data] = [:]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        for name in names where name.hasPrefix("notes") {
            // The index of the log, which is made anew from it.
            if name.hasSuffix("-shm") { continue }
            files[name] = try Data(contentsOf: folder.appending(path: name))
        }
        return files
    }

    @Test func theFileOfAClosedStoreIsNotChanged() async throws {
        try await store.waitForExport(of: store.insert("Milk"))
        try store.close()
        try await StratusWaiting.wait(for: "the end of the log") {
            !FileManager.default.fileExists(atPath: self.store.path + "-wal")
        }
        let before = try files(beside: store.path)
        #expect((try await show()["zones"] as? [Any])?.count == 1)
        #expect(try files(beside: store.path) == before)
    }

    /// The files of a program that was killed have a log.
    @Test func theFilesOfAKilledProgramAreNotChanged() async throws {
        try await store.waitForExport(of: store.insert("Milk"))
        let folder = tool.folder.appending(path: "copy #1 50%?")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: store.path + ending, toPath: folder.path(percentEncoded: false) + "/notes.sqlite" + ending)
        }
        let copy = folder.path(percentEncoded: false) + "/notes.sqlite"
        let before = try files(beside: copy)
        #expect(before["notes.sqlite-wal"]?.isEmpty == false)
        let run = try await tool.run(["mirror", copy, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try (run.object()["zones"] as? [[String: Any]])?.first?["objects"] as? Int == 1)
        #expect(try files(beside: copy) == before)
    }

    @Test func otherFilesAreRefused() async throws {
        func refused(_ path: String) async throws -> String? {
            let run = try await tool.run(["mirror", path, "--json"])
            #expect(run.status == 1)
            return try run.errorObject()["error"] as? String
        }
        #expect(try await refused(tool.path("nothing.sqlite")) == "NOT_FOUND")
        #expect(!FileManager.default.fileExists(atPath: tool.path("nothing.sqlite")))
        #expect(try await refused(try tool.write("no database, but text", to: "text")) == "NOT_A_STORE")
        #expect(try await refused(try tool.write("", to: "empty")) == "NOT_A_STORE")
        let local = NSPersistentContainer(name: "Notes", managedObjectModel: store.container.managedObjectModel)
        local.persistentStoreDescriptions = [NSPersistentStoreDescription(url: tool.folder.appending(path: "local"))]
        local.loadPersistentStores { _, error in #expect(error == nil) }
        #expect(try await refused(tool.path("local")) == "NOT_MIRRORED")
        try await store.waitForExport(of: store.insert("Milk"))
        try store.close()
        let later = try await tool.run(
            [store.path, "UPDATE STRATUS_MIRROR SET ZVERSION = 99"], program: URL(filePath: "/usr/bin/sqlite3"))
        #expect(later.status == 0, "\(later.errors)")
        #expect(try await refused(store.path) == "OTHER_VERSION")
        #expect(try await tool.run(["mirror", store.path, "--waiting", "Note/1"]).status == 2)
    }
}
