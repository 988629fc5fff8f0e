import Foundation
import Glibc
import StratusCloudKit
import StratusSQLite
import StratusTestSupport
import StratusTesting
import Testing

@testable import StratusUbiquity

/// The way in which an agent that runs finds changes of its directory.
@Suite struct DriveScanTests {
    private func move(_ pair: DrivePair, _ from: String, _ to: String) throws {
        try FileManager.default.moveItem(
            at: pair.here.appendingPathComponent(from), to: pair.here.appendingPathComponent(to))
    }

    @Test("items that move between folders stay the items that they were")
    func moves() async throws {
        let pair = try await DrivePair(watches: true)
        try DrivePair.write("text", to: pair.here.appendingPathComponent("a/inner/file"))
        try DrivePair.write("other", to: pair.here.appendingPathComponent("b/other"))
        try await pair.settleFully()
        let file = try await pair.one.record(of: "a/inner/file").recordName
        let folder = try await pair.one.record(of: "a/inner").recordName

        try move(pair, "a/inner", "b/moved")
        try await pair.settleFully()
        #expect(try await pair.one.record(of: "b/moved").recordName == folder)
        #expect(try await pair.one.record(of: "b/moved/file").recordName == file)

        // The folder is still watched, also what is new in it.
        try DrivePair.write("changed", to: pair.here.appendingPathComponent("b/moved/file"))
        try DrivePair.write("new", to: pair.here.appendingPathComponent("b/moved/new/file"))
        try move(pair, "b/other", "b/moved/other")
        try await pair.settleFully()
        #expect(DrivePair.text(pair.there.appendingPathComponent("b/moved/file")) == "changed")
        #expect(DrivePair.text(pair.there.appendingPathComponent("b/moved/new/file")) == "new")
        #expect(DrivePair.text(pair.there.appendingPathComponent("b/moved/other")) == "other")
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        await pair.stop()
    }

    @Test("an item that left a directory after its scan is no new item in another one")
    func movedDuringAScan() async throws {
        let pair = try await DrivePair(watches: true)
        try DrivePair.write("text", to: pair.here.appendingPathComponent("a/file"))
        try DrivePair.write("inner", to: pair.here.appendingPathComponent("a/inner/file"))
        try DrivePair.write("linked", to: pair.here.appendingPathComponent("a/linked"))
        try DrivePair.write("other", to: pair.here.appendingPathComponent("b/other"))
        try await pair.settleFully()
        let records = Set(try await [pair.one.record(of: "a/file"), pair.one.record(of: "a/inner")].map(\.recordName))

        try move(pair, "a/file", "b/file")
        try move(pair, "a/inner", "b/inner")
        // A second hard link is a new item.
        try FileManager.default.linkItem(
            at: pair.here.appendingPathComponent("a/linked"), to: pair.here.appendingPathComponent("b/linked"))
        let torn = try await pair.one.changes(in: ["b"])
        #expect(torn.changes == ["new"] && torn.torn == records)
        let whole = try await pair.one.changes(in: ["a", "b"])
        #expect(Set(whole.changes) == records.union(["new"]) && whole.torn.isEmpty)
        try await pair.settleFully()
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        await pair.stop()
    }

    @Test("a folder that another device moved is still watched, and one that takes its place, too")
    func movedByTheAgent() async throws {
        let pair = try await DrivePair(watches: true)
        try DrivePair.write("text", to: pair.there.appendingPathComponent("a/inner/file"))
        try await pair.settleFully()
        try FileManager.default.moveItem(
            at: pair.there.appendingPathComponent("a"), to: pair.there.appendingPathComponent("b"))
        try DrivePair.write("second", to: pair.there.appendingPathComponent("a/inner/file"))
        try await pair.settleFully()
        try await pair.settleFully()
        try DrivePair.write("one", to: pair.here.appendingPathComponent("b/inner/new"))
        try DrivePair.write("two", to: pair.here.appendingPathComponent("a/inner/new"))
        try await pair.settleFully()
        #expect(DrivePair.text(pair.there.appendingPathComponent("b/inner/new")) == "one")
        #expect(DrivePair.text(pair.there.appendingPathComponent("a/inner/new")) == "two")
        await pair.stop()
    }

    @Test("a tree that is deleted is deleted everywhere, and files that were moved out of it are not")
    func deletedTree() async throws {
        let pair = try await DrivePair(watches: true)
        for number in 0..<3 {
            try DrivePair.write("\(number)", to: pair.here.appendingPathComponent("a/b/c/\(number)"))
        }
        try await pair.settleFully()
        let kept = try await pair.one.record(of: "a/b/c/1").recordName
        try move(pair, "a/b/c/1", "kept")
        try FileManager.default.removeItem(at: pair.here.appendingPathComponent("a"))
        try await pair.settleFully()
        #expect(try await pair.one.record(of: "kept").recordName == kept)
        let names = try FileManager.default.contentsOfDirectory(atPath: pair.there.path)
        #expect(Set(names) == [".stratus", "Documents", "kept"])
        await pair.stop()
    }

    @Test("a change through one name of a file is a change of its other names", arguments: [false, true])
    func hardLinks(isOutside: Bool) async throws {
        let pair = try await DrivePair(watches: true)
        let file = pair.here.appendingPathComponent("a/one")
        let outside = URL(fileURLWithPath: pair.state.path + "/two")
        let link = isOutside ? outside : pair.here.appendingPathComponent("b/two")
        try DrivePair.write("first", to: file)
        try DrivePair.write("other", to: pair.here.appendingPathComponent("b/other"))
        try FileManager.default.linkItem(at: file, to: link)
        try await pair.settleFully()
        try Data("changed".utf8).write(to: link)
        if isOutside {
            // No directory of the container has an event. The agent finds the change when it is about to delete the file.
            try FileManager.default.removeItem(at: pair.there.appendingPathComponent("a/one"))
            try await pair.other.settle()
            try await pair.one.settle()
        }
        try await pair.settleFully()
        #expect(try await pair.one.status().failures.isEmpty)
        #expect(try await pair.conflicts().isEmpty)
        let texts = ["a/one", "b/two"].map { DrivePair.text(pair.there.appendingPathComponent($0)) }
        #expect(texts == ["changed", isOutside ? nil : "changed"])
        await pair.stop()
    }

    @Test("the attributes that an agent sets are no changes that it finds")
    func ownAttributes() async throws {
        let pair = try await DrivePair(watches: true)
        try DrivePair.write("text", to: pair.here.appendingPathComponent("a/file"))
        try DrivePair.write("text", to: pair.here.appendingPathComponent("a.rtfd/TXT.rtf"))
        try await pair.one.settle()
        #expect(await pair.one.changedPaths() == [])
        #expect(UbiquityState.of(pair.here.appendingPathComponent("a/file").path).isUploaded)
        await pair.stop()
    }

    @Test("directories beyond those that are watched are scanned each time, and the status counts them")
    func unwatched() async throws {
        let pair = try await DrivePair(watches: true)
        await pair.one.watch(atMost: 2)
        for name in ["a/file", "b/file"] { try DrivePair.write("first", to: pair.here.appendingPathComponent(name)) }
        try await pair.settleFully()
        // The container, "Documents", "a" and "b".
        #expect(try await pair.one.status().unwatched == 2)
        #expect(await pair.one.scanInterval == DriveLimits.unwatchedScan)
        for name in ["a/file", "b/file", "b/c/file"] {
            try DrivePair.write("second", to: pair.here.appendingPathComponent(name))
        }
        try await pair.settleFully()
        for name in ["a/file", "b/file", "b/c/file"] {
            #expect(DrivePair.text(pair.there.appendingPathComponent(name)) == "second")
        }
        #expect(try await pair.one.status().unwatched == 3)

        await pair.one.watch(atMost: .max)
        try await pair.settleFully()
        #expect(try await pair.one.status().unwatched == nil)
        #expect(await pair.one.scanInterval == DriveLimits.wholeScan)
        await pair.stop()
    }

    @Test(
        "the entries of earlier versions are taken over",
        arguments: [
            "CREATE TABLE items (id TEXT PRIMARY KEY, entry BLOB NOT NULL) WITHOUT ROWID;",
            "CREATE TABLE entries (id TEXT PRIMARY KEY, entry BLOB NOT NULL, isPending INTEGER) WITHOUT ROWID;",
        ])
    func migration(_ table: String) async throws {
        var pair = try await DrivePair(watches: true)
        try DrivePair.write("text", to: pair.here.appendingPathComponent("a/file"))
        try await pair.settleFully()
        let record = try await pair.one.record(of: "a/file").recordName
        await pair.one.stop()
        let connection = try SQLiteConnection(path: pair.state.path + "/one.sqlite")
        try connection.execute(
            """
            CREATE TABLE copy AS SELECT id, entry FROM entries;
            DROP TABLE entries;
            \(table)
            INSERT INTO \(table.contains("entries") ? "entries" : "items") (id, entry) SELECT id, entry FROM copy;
            DROP TABLE copy;
            PRAGMA user_version = 0;
            """)
        // Moved while no agent runs, so that only what the entry says lets it be the same file.
        try move(pair, "a/file", "moved")
        try await pair.restartOne()
        try await pair.settleFully()
        #expect(try await pair.one.record(of: "moved").recordName == record)
        #expect(DrivePair.text(pair.there.appendingPathComponent("moved")) == "text")
        await pair.stop()
    }

    @Test("an archive of a record, which earlier versions kept, is read")
    func archivedRecord() async throws {
        let pair = try await DrivePair()
        try DrivePair.write("first", to: pair.here.appendingPathComponent("a.txt"))
        try await pair.settleFully()
        let name = try await pair.one.record(of: "a.txt").recordName
        let records = try await pair.cloud.records(in: FileRecord.zoneID, of: pair.cloud.account("ada"))
        let record = try #require(records.first { $0.recordID.recordName == name })
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        try await pair.one.keep(systemFields: archiver.encodedData, of: name)
        try DrivePair.write("second", to: pair.here.appendingPathComponent("a.txt"))
        pair.cloud.forgetRequests()
        try await pair.one.settle()
        // Without the change tag, the server would refuse the first attempt.
        let saves = pair.cloud.requests([.saveRecords])
        #expect(saves.count == 1 && saves.allSatisfy { $0.error == nil })
        #expect(try await pair.one.entry(name)?.remote?.changeTag != nil)
        try await pair.settleFully()
        #expect(DrivePair.text(pair.there.appendingPathComponent("a.txt")) == "second")
        await pair.stop()
    }
}

extension DriveAgent {
    /// The records of what a scan of some directories finds changed, and of items that it finds at two places.
    fileprivate func changes(in directories: [String]) throws -> (changes: [String], torn: Set<String>) {
        let scan = try DriveScan(
            folder, state, nil, directories: Set(directories.map { Array((folder.path + "/" + $0).utf8) }), itemsIn: [],
            ignores: { _ in false }, newID: { "new" })
        return (scan.changes.map(\.id), scan.torn.records)
    }
}
