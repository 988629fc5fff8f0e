import Foundation
import Glibc
import StratusCoreData
import StratusSQLite
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

    @Test func aKilledProcessLeavesTheOldOrTheNewStore() throws {
        let persons = 3_000
        let original = try bulkStore(persons: persons, bytes: 1_000)
        let rounds = 24
        var writes = 0
        var outcomes: Set<Bool> = []
        // The first process is not killed, so that the number of its writes is known.
        for round in 0...rounds {
            let store = try MigratedStore()
            // External data is beside the file.
            try FileManager.default.removeItem(at: store.folder)
            try FileManager.default.copyItem(at: original.folder, to: store.folder)
            let process = try MigratingProcess(store.file)
            let limit = round == 0 ? Int.max : 1 + (round - 1) * (writes + 2) / rounds
            let seen = try process.run(killedAfter: limit)
            if round == 0 { writes = seen }
            let isNew = try expectWhole(store, persons: persons + 3)
            if round == 0 { #expect(isNew) }
            outcomes.insert(isNew)
        }
        #expect(outcomes == [true, false])
    }

    /// Checks that the store is one of the two versions, and all of it.
    private func expectWhole(_ store: MigratedStore, persons: Int) throws -> Bool {
        let text = try store.inFile { try $0.prepare("PRAGMA integrity_check").first { $0.text(0) } }
        #expect(text == "ok")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.file)
        let new = try MigratingProcess.model()
        let isNew = new.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        try store.open(isNew ? new : MigratedStore.model(), options) { (context: NSManagedObjectContext) throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            #expect(try context.count(for: request) == persons)
            let ada = try context.one("Person", "Ada")
            #expect(ada.labels("friends") == ["Eve", "Bob"])
            #expect(ada.value(forKey: isNew ? "years" : "age") as? Int == 40)
            let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let transactions = (try context.execute(history) as? NSPersistentHistoryResult)?.result as? [Any]
            #expect(transactions?.count == 1)
        }
        return isNew
    }

    @Test func aDiskWithoutRoomLeavesTheOldStore() throws {
        let store = try bulkStore(persons: 3_000, bytes: 1_000)
        let process = try MigratingProcess(store.file, ["MIGRATION_FILE_LIMIT": "1000000"])
        _ = try process.run(killedAfter: .max)
        #expect(process.status == MigratingProcess.noRoom)
        #expect(try !expectWhole(store, persons: 3_003))
    }

    @Test func memoryDoesNotGrowWithTheStore() throws {
        let store = try bulkStore(persons: 60_000, bytes: 1_000)
        let process = try MigratingProcess(store.file, ["MIGRATION_MEMORY_LIMIT": "40000"])
        _ = try process.run(killedAfter: .max)
        #expect(process.status == 0)
        #expect(try expectWhole(store, persons: 60_003))
    }

    /// Migrates a store in a process that the other tests start.
    @Test(.enabled(if: MigratingProcess.isChild)) func migrateInThisProcess() throws { MigratingProcess.migrate() }
}

/// A process that runs this program again, to migrate one store.
final class MigratingProcess {
    /// The status of a process that could not write.
    static let noRoom: Int32 = 3
    private static let fileVariable = "MIGRATION_FILE"

    private let process = Process()
    private let output = Pipe()
    private let notifications: FileHandle

    init(_ file: URL, _ environment: [String: String] = [:]) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        notifications = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let folder = file.deletingLastPathComponent().path
        #expect(inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY)) >= 0)
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "MigrationProcessTests/migrateInThisProcess",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging([Self.fileVariable: file.path]) { $1 }
        process.standardOutput = output
        process.standardError = output
    }

    var status: Int32 { process.terminationStatus }

    /// Runs the process to its end, or kills it when it has written often enough.
    /// - Returns: The number of writes that were seen.
    func run(killedAfter limit: Int) throws -> Int {
        try process.run()
        var writes = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var waiting = [notifications, output.fileHandleForReading].map {
            pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0)
        }
        while poll(&waiting, 2, -1) >= 0 || errno == EINTR {
            if waiting[0].revents != 0 {
                let count = read(waiting[0].fd, &buffer, buffer.count)
                writes += max(0, Self.events(in: buffer[..<max(0, count)]))
                if writes >= limit {
                    kill(process.processIdentifier, SIGKILL)
                    break
                }
            } else if waiting[1].revents != 0, read(waiting[1].fd, &buffer, buffer.count) <= 0 {
                break
            }
        }
        process.waitUntilExit()
        return writes
    }

    private static func events(in bytes: ArraySlice<UInt8>) -> Int {
        var count = 0
        var place = 0
        bytes.withUnsafeBytes { bytes in
            while place + MemoryLayout<inotify_event>.size <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                place += MemoryLayout<inotify_event>.size + Int(event.len)
                count += 1
            }
        }
        return count
    }

    // MARK: - The process itself

    static var isChild: Bool { ProcessInfo.processInfo.environment[fileVariable] != nil }

    /// The model that the process migrates the store to.
    static func model() throws -> NSManagedObjectModel {
        try MigratedStore.model { model in
            model.entities += [StoreFixture.entity("Animal")]
            let age = try model.entity("Person").attributesByName["age"]
            age?.name = "years"
            age?.renamingIdentifier = "age"
        }
    }

    /// Migrates the store of the environment and ends the process.
    static func migrate() {
        let environment = ProcessInfo.processInfo.environment
        if let limit = environment["MIGRATION_FILE_LIMIT"].flatMap(UInt.init) {
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit(rlim_cur: limit, rlim_max: limit)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        }
        do {
            let before = kilobytes("VmRSS:")
            let file = URL(fileURLWithPath: environment[fileVariable] ?? "")
            var options = MigratedStore.migrating
            options[NSPersistentHistoryTrackingKey] = true
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: options)
            try coordinator.remove(store)
            let limit = environment["MIGRATION_MEMORY_LIMIT"].flatMap(Int.init) ?? .max
            exit(kilobytes("VmHWM:") - before < limit ? 0 : 5)
        } catch {
            exit([134_080, 640].contains((error as NSError).code) ? noRoom : 4)
        }
    }

    private static func kilobytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
