import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTestSupport
import StratusWaiting
import Testing

@testable import StratusUbiquity

/// Contents in conflict on the server, as programs see them on each device.
@Suite struct DriveConflictTests {
    private func conflicts(_ url: URL) -> [NSFileVersion] {
        NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
    }

    private func hasConflicts(_ url: URL) throws -> Bool? {
        try URL(fileURLWithPath: url.path).resourceValues(forKeys: [.ubiquitousItemHasUnresolvedConflictsKey])
            .ubiquitousItemHasUnresolvedConflicts
    }

    @Test("each device has the content in conflict as a version, with the device that wrote it and the date")
    func versions() async throws {
        let pair = try await DrivePair()
        try await pair.makeConflict("d/a.txt")
        for directory in [pair.here, pair.there] {
            let file = directory.appendingPathComponent("d/a.txt")
            #expect(DrivePair.text(file) == "the other's")
            let version = try #require(conflicts(file).first)
            #expect(conflicts(file).count == 1)
            #expect(DrivePair.text(version.url) == "one's")
            #expect(version.localizedNameOfSavingComputer == "one")
            #expect(version.modificationDate == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(version.isConflict && !version.isResolved && version.localizedName == "a.txt")
            #expect(try hasConflicts(file) == true)
            #expect(
                MetadataAttributes.of(file.path)?[NSMetadataUbiquitousItemHasUnresolvedConflictsKey] as? NSNumber == 1)
        }
        // Nothing is downloaded again.
        let identifier = try #require(conflicts(pair.here.appendingPathComponent("d/a.txt")).first).persistentIdentifier
        try await pair.settleFully()
        let again = try #require(conflicts(pair.here.appendingPathComponent("d/a.txt")).first).persistentIdentifier
        #expect((identifier as? NSString) == (again as? NSString) && identifier is NSString)
        await pair.stop()
    }

    @Test("a program that marks the conflict as resolved ends it on all devices, also across a restart")
    func resolution() async throws {
        var pair = try await DrivePair()
        try await pair.makeConflict("a.txt")
        let (here, there) = (pair.here.appendingPathComponent("a.txt"), pair.there.appendingPathComponent("a.txt"))
        let version = try #require(conflicts(here).first)
        version.isResolved = true
        #expect(try hasConflicts(here) == false)
        try await pair.restartOne()
        try await pair.settleFully()
        for file in [here, there] {
            #expect(NSFileVersion.otherVersionsOfItem(at: file)?.isEmpty == true)
            #expect(DrivePair.text(file) == "the other's")
            #expect(try hasConflicts(file) == false)
        }
        #expect(try await pair.conflicts().isEmpty)
        // The content is a former one like others.
        #expect(try await pair.one.versions(of: "a.txt").map(\.isConflict) == [false, false])
        await pair.stop()
    }

    @Test("a program puts a version in the place of the file and removes the others, while the agent does not run")
    func replacement() async throws {
        var pair = try await DrivePair()
        try await pair.makeConflict("a.txt")
        let (here, there) = (pair.here.appendingPathComponent("a.txt"), pair.there.appendingPathComponent("a.txt"))
        await pair.one.stop()
        try #require(conflicts(here).first).replaceItem(at: here)
        try NSFileVersion.removeOtherVersionsOfItem(at: here)
        try NSFileVersion.removeOtherVersionsOfItem(at: here)
        #expect(NSFileVersion.otherVersionsOfItem(at: here)?.isEmpty == true)
        try await pair.restartOne()
        try await pair.settleFully()
        for file in [here, there] {
            #expect(DrivePair.text(file) == "one's")
            #expect(conflicts(file).isEmpty)
        }
        #expect(try await pair.conflicts().isEmpty)
        await pair.stop()
    }

    @Test("one of two contents in conflict is resolved, and the other one stays")
    func partly() async throws {
        let pair = try await DrivePair()
        try await pair.makeConflict("a.txt")
        let (here, there) = (pair.here.appendingPathComponent("a.txt"), pair.there.appendingPathComponent("a.txt"))
        try DrivePair.write("one's again", to: here)
        try DrivePair.write("the other's again", to: there)
        try await pair.settleFully()
        #expect(conflicts(here).count == 2 && conflicts(there).count == 2)
        let oldest = try #require(conflicts(there).first)
        #expect(DrivePair.text(oldest.url) == "one's")
        try oldest.remove()
        try await pair.settleFully()
        try await pair.settleFully()
        #expect(conflicts(here).count == 1 && conflicts(there).count == 1)
        #expect(conflicts(here).compactMap { DrivePair.text($0.url) } != ["one's"])
        await pair.stop()
    }

    @Test("the copies follow a file, whoever moves it, and go with it")
    func moves() async throws {
        let pair = try await DrivePair()
        try await pair.makeConflict("d/a.txt")
        let files = FileManager.default
        try files.moveItem(
            at: pair.here.appendingPathComponent("d"), to: pair.here.appendingPathComponent("e"))
        try files.moveItem(
            at: pair.here.appendingPathComponent("e/a.txt"), to: pair.here.appendingPathComponent("e/b.txt"))
        try await pair.settleFully()
        for directory in [pair.here, pair.there] {
            #expect(
                conflicts(directory.appendingPathComponent("e/b.txt")).compactMap { DrivePair.text($0.url) } == [
                    "one's"
                ])
        }
        // A file that takes the place has nothing of it.
        try DrivePair.write("another", to: pair.here.appendingPathComponent("d/a.txt"))
        #expect(conflicts(pair.here.appendingPathComponent("d/a.txt")).isEmpty)
        try files.removeItem(at: pair.here.appendingPathComponent("e/b.txt"))
        try await pair.settleFully()
        for directory in [pair.here, pair.there] {
            try DrivePair.write("another", to: directory.appendingPathComponent("e/b.txt"))
            #expect(conflicts(directory.appendingPathComponent("e/b.txt")).isEmpty)
        }
        await pair.stop()
    }

    @Test("an item that is not on the device has its conflict in its attributes, and the contents when it comes")
    func placeholders() async throws {
        let pair = try await DrivePair()
        try await pair.makeConflict("a.txt")
        let file = pair.here.appendingPathComponent("a.txt")
        try await pair.one.evict("a.txt")
        #expect(conflicts(file).isEmpty)
        #expect(try hasConflicts(file) == true)
        #expect(MetadataAttributes.of(file.path)?[NSMetadataUbiquitousItemHasUnresolvedConflictsKey] as? NSNumber == 1)
        try await pair.one.download("a.txt")
        #expect(conflicts(file).compactMap { DrivePair.text($0.url) } == ["one's"])
        await pair.stop()
    }

    @Test("the contents in conflict stay as files when the zone of the files is deleted", arguments: [false, true])
    func deletedZone(isEndedMeanwhile: Bool) async throws {
        var pair = try await DrivePair()
        try await pair.makeConflict("d/a.txt")
        // As when a server lists a zone anew, and has nothing in it.
        let database = await pair.one.cloud.database
        let folder = try await database.record(for: FileRecord.recordID(pair.one.record(of: "d").recordName))
        folder[FileFormat.deleted] = Date()
        try await database.save(folder)
        try await database.deleteRecord(withID: folder.recordID)
        await pair.one.cloud.giveBack([.zoneDeleted])
        if isEndedMeanwhile {
            pair.one.checkpoints.set { moment, name in
                if moment == .moving, name == "a 2.txt" { throw DriveProcessEnd() }
            }
            await #expect(throws: DriveError.self) { try await pair.one.settle() }
            try await pair.restartOne()
        }
        for _ in 0..<2 { try await pair.settleFully() }
        for directory in [pair.here, pair.there] {
            let folder = directory.appendingPathComponent("d")
            #expect(DrivePair.text(folder.appendingPathComponent("a.txt")) == "the other's")
            #expect(DrivePair.text(folder.appendingPathComponent("a 2.txt")) == "one's")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
            #expect(conflicts(folder.appendingPathComponent("a.txt")).isEmpty)
        }
        #expect(try await pair.one.status().pending == 0)
        #expect(try await pair.other.status().failures.isEmpty)
        await pair.stop()
    }

    @Test("a document that two devices change is in conflict on both, until one of them resolves it")
    @MainActor func documents() async throws {
        let pair = try await DrivePair()
        try DrivePair.write("first", to: pair.here.appendingPathComponent("a.txt"))
        try await pair.settleFully()
        let documents = [pair.here, pair.there].map { TextDocument(fileURL: $0.appendingPathComponent("a.txt")) }
        for document in documents { #expect(await document.open()) }
        for (document, text) in zip(documents, ["one's", "the other's"]) {
            document.text = text
            document.updateChangeCount(.done)
            #expect(await document.autosave())
        }
        try await pair.settleFully()
        for document in documents {
            try await wait(for: "the conflict") { @MainActor in document.documentState.contains(.inConflict) }
        }
        for version in conflicts(documents[0].fileURL) { version.isResolved = true }
        try NSFileVersion.removeOtherVersionsOfItem(at: documents[0].fileURL)
        try await pair.settleFully()
        for document in documents {
            try await wait(for: "the end of the conflict") { @MainActor in document.documentState == .normal }
        }
        for document in documents { #expect(await document.close()) }
        await pair.stop()
    }
}
