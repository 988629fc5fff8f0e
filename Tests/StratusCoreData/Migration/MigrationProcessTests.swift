import Foundation
import Glibc
import StratusCoreData
import Testing

/// Migrations in a process of their own, which ends in the middle, has no room, or is measured.
@Suite struct MigrationProcessTests {
    /// Writes a store with many persons by SQL.
    private func bulkStore(persons: Int, bytes: Int) throws -> MigratedStore {
        let store = try MigratedStore()
        var options = MigratedStore.migrating
        options[NSPersistentHistoryTrackingKey] = true
        try store.write(MigratedStore.model(), options)
        try store.inFile { connection in
            let number = try connection.prepare("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'").first {
                $0.integer(0) ?? 0
            }
            try connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n LIMIT \(persons))
                INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZNOTE, ZAGE)
                SELECT i, \(number ?? 0), 1, 'P' || i, hex(zeroblob(\(bytes / 2))), i % 100 FROM n;
                PRAGMA wal_checkpoint(TRUNCATE)
                """)
        }
        return store
    }

    /// CI runs more rounds. Each one migrates a whole store.
    private static let rounds =
        ProcessInfo.processInfo.environment["STRATUS_KILL_ROUNDS"].flatMap(Int.init).map { max(12, $0 / 6) } ?? 12

    @Test(arguments: MigrationKind.allCases) func aKilledProcessLeavesTheOldOrTheNewStore(_ kind: MigrationKind) throws
    {
        let persons = kind == .lightweight ? 3_000 : 300
        let original = try bulkStore(persons: persons, bytes: 1_000)
        var writes = 0
        var outcomes: Set<Bool> = []
        // The first process is not killed, so that the number of its writes is known.
        for round in 0...Self.rounds {
            let store = try MigratedStore()
            // External data is beside the file.
            try FileManager.default.removeItem(at: store.folder)
            try FileManager.default.copyItem(at: original.folder, to: store.folder)
            let process = try MigratingProcess(kind, of: store.file)
            let limit = round == 0 ? Int.max : 1 + (round - 1) * (writes + 2) / Self.rounds
            let seen = try process.run(killedAfter: limit)
            if round == 0 {
                writes = seen
                #expect(process.status == 0)
            }
            let isNew = try kind.expectWhole(store, persons: persons + 3)
            if round == 0 { #expect(isNew) }
            outcomes.insert(isNew)
            // The next process goes on.
            try kind.migrate(store.file)
            #expect(try kind.expectWhole(store, persons: persons + 3))
            if !isNew { try expectNoDrafts(in: store.folder) }
        }
        #expect(outcomes == [true, false])
    }

    private func expectNoDrafts(in folder: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let known = ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", ".store_SUPPORT"]
        #expect(Set(names).isSubset(of: known), "\(names)")
    }

    @Test func aDiskWithoutRoomLeavesTheOldStore() throws {
        let store = try bulkStore(persons: 3_000, bytes: 1_000)
        let process = try MigratingProcess(.lightweight, of: store.file, ["MIGRATION_FILE_LIMIT": "1000000"])
        _ = try process.run(killedAfter: .max)
        #expect(process.status == MigratingProcess.noRoom)
        #expect(try !MigrationKind.lightweight.expectWhole(store, persons: 3_003))
    }

    @Test func memoryDoesNotGrowWithTheStore() throws {
        let store = try bulkStore(persons: 60_000, bytes: 1_000)
        let process = try MigratingProcess(.lightweight, of: store.file, ["MIGRATION_MEMORY_LIMIT": "40000"])
        _ = try process.run(killedAfter: .max)
        #expect(process.status == 0)
        #expect(try MigrationKind.lightweight.expectWhole(store, persons: 60_003))
    }

    /// Migrates a store in a process that the other tests start.
    @Test(.enabled(if: MigratingProcess.isChild)) func migrateInThisProcess() throws { MigratingProcess.migrate() }
}
