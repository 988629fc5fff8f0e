import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTesting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Many changes at once: how often the disk is waited for, what is looked at, and what a process leaves that ends.
@Suite struct DrivePlacingTests {
    private static let files = (0..<120).map { "d \($0 % 3)/\($0).txt" }

    /// A pair of which the other device has many files that are on the server.
    private func prepared() async throws -> DrivePair {
        let pair = try await DrivePair()
        await pair.one.placeTogether()
        for file in Self.files { try DrivePair.write(file, to: pair.there.appendingPathComponent(file)) }
        return pair
    }

    private func count(
        _ moment: DriveMoment, of agent: DriveAgent, in body: () async throws -> Void
    ) async throws -> Int {
        let count = Lock(0)
        agent.checkpoints.set { now, _ in if now == moment { count.withLock { $0 += 1 } } }
        try await body()
        agent.checkpoints.set(nil)
        return count.withLock { $0 }
    }

    private func expectAll(in directory: URL) {
        for file in Self.files { #expect(DrivePair.text(directory.appendingPathComponent(file)) == file) }
        for folder in 0..<3 {
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: directory.appendingPathComponent("d \(folder)").path)
            #expect(names?.count == 40)
        }
    }

    @Test("many files are sent and come with few commits")
    func fewCommits() async throws {
        let pair = try await prepared()
        #expect(try await count(.noting, of: pair.other) { try await pair.other.settle() } <= 12)
        #expect(try await count(.noting, of: pair.one) { try await pair.one.settle() } <= 12)
        expectAll(in: pair.here)
        #expect(try await count(.noting, of: pair.one) { try await pair.one.settle() } == 0)
        // Files whose content the server has are noted together, too.
        for file in Self.files {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)],
                ofItemAtPath: pair.here.appendingPathComponent(file).path)
        }
        #expect(try await count(.noting, of: pair.one) { try await pair.one.settle() } <= 4)
        await pair.stop()
    }

    @Test(
        "a process that ends while many files take their places leaves nothing that is sent again or twice",
        arguments: [
            (DriveMoment.moving, 1), (.moving, 60), (.changed, 2), (.changed, 60), (.noting, 1), (.noting, 2),
            (.noting, 3), (.noting, 4),
        ])
    func processEnds(_ moment: DriveMoment, _ number: Int) async throws {
        var pair = try await prepared()
        try await pair.other.settle()
        let (uploads, count) = (pair.cloud.requests(.uploadAssets).count, Lock(0))
        pair.one.checkpoints.set { now, _ in
            let reached = count.withLock { count in
                if now == moment, count < number { count += 1 }
                return count
            }
            if reached == number { throw DriveProcessEnd() }
        }
        _ = try? await pair.one.settle()
        try await pair.restartOne()
        try await pair.settleFully()
        expectAll(in: pair.here)
        #expect(pair.cloud.requests(.uploadAssets).count == uploads)
        let status = try await pair.one.status()
        #expect(status.pending == 0 && status.failures.isEmpty)
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        #expect(try await pair.conflicts().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: pair.here.path + "/.stratus/staging").isEmpty)
        await pair.stop()
    }

    @Test("items that stay on the server are not looked at in each comparison")
    func itemsThatStay() async throws {
        let pair = try await prepared()
        try DrivePair.write("x", to: pair.there.appendingPathComponent("x.o"))
        try await pair.other.settle()
        try DrivePair.write("*.o\n", to: pair.here.appendingPathComponent(".stratusignore"))
        try await pair.settleFully()
        try await pair.one.setSelected(false, "d 0")
        try FileManager.default.removeItem(at: pair.there.appendingPathComponent("d 1"))
        try await pair.settleFully()
        #expect(try await pair.one.comparedItems.isEmpty)
        #expect(try await pair.other.comparedItems.isEmpty)
        #expect(DrivePair.text(pair.here.appendingPathComponent("d 0/0.txt")) == nil)
        #expect(DrivePair.text(pair.here.appendingPathComponent("d 1/1.txt")) == nil)
        // They come when they are wanted.
        try await pair.one.setSelected(true, "d 0")
        let deleted = try await pair.one.recentlyDeleted()
        _ = try await pair.one.restoreDeleted(try #require(deleted.first { $0.path == "d 1" }?.recordName))
        try DrivePair.write("", to: pair.here.appendingPathComponent(".stratusignore"))
        try await pair.settleFully()
        expectAll(in: pair.here)
        #expect(DrivePair.text(pair.here.appendingPathComponent("x.o")) == "x")
        await pair.stop()
    }

    @Test("a long list of the server is noted while it comes, and goes on after a restart where it was")
    func longList() async throws {
        var pair = try await DrivePair()
        await pair.one.placeTogether()
        try await pair.one.settle()
        let names = (0..<DriveLimits.waitingRecords + 500).map { "folder \($0)" }
        for start in stride(from: 0, to: names.count, by: 200) {
            let records = names[start..<min(start + 200, names.count)].map { name in
                let record = CKRecord(recordType: FileFormat.recordType, recordID: FileRecord.recordID(name))
                record[FileFormat.name] = name
                record[FileFormat.kind] = FileKind.folder.rawValue
                return record
            }
            _ = try await pair.one.cloud.database.modifyRecords(saving: records, deleting: [])
        }
        pair.cloud.forgetRequests()
        let noted = Lock(0)
        pair.one.checkpoints.set { moment, _ in
            if moment == .noting { noted.withLock { $0 += 1 } }
            if moment == .fetched { throw DriveProcessEnd() }
        }
        _ = try? await pair.one.settle()
        #expect(noted.withLock { $0 } > 0)
        let pages = pair.cloud.requests(.fetchZoneChanges).count
        try await pair.restartOne()
        await pair.one.placeTogether()
        try await pair.one.settle()
        #expect(pair.cloud.requests(.fetchZoneChanges).count < 2 * pages)
        let found = try FileManager.default.contentsOfDirectory(atPath: pair.here.path)
        #expect(Set(names).isSubset(of: found))
        await pair.stop()
    }
}
