import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// The entries that the zone of files keeps: names in folders, and what is due.
@Suite struct FileConsistencyTests {
    private typealias Rows = [Key: [UInt8]]

    private static let tags: [Keyspace.Tag] = [.fileName, .fileDue]

    /// Folders, files with former contents, and deleted ones.
    private func filled() async throws -> FileCloud {
        let files = try await FileCloud()
        let folder = try await files.service.createFolder(FileChanges(name: "d", folder: .root), as: files.caller)
        _ = try await files.service.createFolder(FileChanges(name: "É", folder: .item(folder.id)), as: files.caller)
        for text in ["one", "two", "three"] { _ = try await files.put(text, at: ["d", "a"]) }
        let deleted = try await files.put("deleted", at: ["d", "b"])
        try await files.service.deleteFile(deleted, as: files.caller)
        _ = try await files.put("another", at: ["B"])
        return files
    }

    private func rows(_ files: FileCloud) async throws -> Rows {
        let entries = try await files.cloud.store.read(try files.cloud.home()) { transaction in
            try Self.tags.flatMap {
                try transaction.entries(in: KeyRange(prefix: Key([$0.rawValue])), limit: .max)
            }
        }
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
    }

    private func zone(_ files: FileCloud) async throws -> ZoneNumber {
        try #require(
            try await files.cloud.store.read(try files.cloud.home()) {
                try ZoneHeader.find(FileFormat.zoneName, in: $0)?.number
            })
    }

    @Test("what was only used fits together, and a look leaves it")
    func sound() async throws {
        let files = try await filled()
        let before = try await rows(files)
        #expect(before.count == 6, "four names, two that are due")
        let report = try await files.service.checkConsistency(repairing: true)
        #expect(report.problems == 0, "\(report.findings)")
        #expect(try await files.service.checkQuickly().problems == 0)
        #expect(try await rows(files) == before)
    }

    @Test("an entry that is missing is found and made again")
    func missing() async throws {
        let files = try await filled()
        let before = try await rows(files)
        for key in before.keys.sorted() {
            try await files.cloud.store.write(try files.cloud.home()) { $0.clear(key) }
            let found = try await files.service.checkConsistency(repairing: false)
            #expect(found.findings.map(\.kind) == [.missingIndexEntry], "\(key)")
            #expect(found.findings.first?.place.contains("zone '_files'") == true)
            #expect(try await rows(files)[key] == nil, "only looked")
            #expect(try await files.service.checkConsistency(repairing: true).repaired == 1)
            #expect(try await rows(files) == before)
            #expect(try await files.service.checkConsistency(repairing: false).problems == 0)
        }
    }

    @Test("a quick check finds them in its sample")
    func quick() async throws {
        let files = try await filled()
        let names = try await rows(files).keys.filter { $0.bytes.first == Keyspace.Tag.fileName.rawValue }
        try await files.cloud.store.write(try files.cloud.home()) { transaction in
            for name in names { transaction.set(name, Array("nobody".utf8)) }
        }
        let kinds = try await files.service.checkQuickly().findings.map(\.kind)
        #expect(kinds.contains(.missingIndexEntry) && kinds.contains(.staleIndexEntry))
    }

    @Test("entries of no item, and of another item than their name, are found and put right")
    func stale() async throws {
        let files = try await filled()
        let (before, zone, home) = (try await rows(files), try await zone(files), try files.cloud.home())
        let names = before.filter { $0.key.bytes.first == Keyspace.Tag.fileName.rawValue }.sorted { $0.key < $1.key }
        let (one, other) = (try #require(names.first), try #require(names.last))
        try await files.cloud.store.write(home) { transaction in
            transaction.set(one.key, other.value)
            transaction.set(Keyspace.fileName(zone: zone, folder: nil, key: "nobody"), Array("nobody".utf8))
            transaction.set(Keyspace.fileName(zone: zone, folder: "none", key: "x"), [0xFF])
            transaction.set(Keyspace.fileDue(zone: zone, .deletion, at: 7, recordName: "nobody"), [])
            transaction.set(Keyspace.prefix(.fileDue, zone: zone).key.next, [])
        }
        let found = try await files.service.checkConsistency(repairing: false)
        #expect(found.findings.count { $0.kind == .staleIndexEntry } == 5)
        #expect(found.findings.count { $0.kind == .missingIndexEntry } == 1)
        let repair = try await files.service.checkConsistency(repairing: true)
        #expect(repair.repaired == repair.problems && repair.problems >= 5)
        #expect(try await rows(files) == before)
        #expect(try await files.service.checkConsistency(repairing: false).problems == 0)
    }

    @Test("of two items of one name, the one that has it keeps it, and the other is reported")
    func twins() async throws {
        let files = try await filled()
        let (zone, home) = (try await zone(files), try files.cloud.home())
        _ = try await files.modify([.file(.create, "first", "twin", .file), .file(.create, "second", "other", .file)])
        try await files.cloud.store.write(home) { transaction in
            var record = try #require(try transaction.record(named: "second", in: zone))
            record.fields[FileFormat.name] = Field(.scalar(.string("TWIN")))
            transaction.set(Keyspace.version(zone: zone, record.version), record.stored)
        }
        let repair = try await files.service.checkConsistency(repairing: true)
        #expect(repair.findings.contains { $0.kind == .missingIndexEntry && !$0.isRepaired })
        let left = try await files.service.checkConsistency(repairing: false)
        #expect(left.findings.map(\.kind) == [.missingIndexEntry])
        #expect(left.findings.first?.place.contains("record 'second'") == true)
        #expect(try await files.service.filePlace(at: ["twin"], as: files.caller).item?.id == "first")
    }
}
