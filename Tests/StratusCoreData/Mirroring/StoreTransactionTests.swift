import Foundation
import StratusCoreData
import Synchronization
import Testing

/// The work that a mirror of a store does in the transactions of its saves.
@Suite struct StoreTransactionTests {
    private struct Refusal: Error {}

    private let family = Family()
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    private let store: NSPersistentStore

    init() throws {
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file,
            options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        try store.transaction { try $0.statement("CREATE TABLE FURTHER (NAME VARCHAR)").run() }
    }

    private func removeFiles() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
    }

    private func names() throws -> [String] {
        try store.reading { try $0.statement("SELECT NAME FROM FURTHER ORDER BY rowid").all { $0.text(0) ?? "" } }
    }

    @Test func workIsDoneInTheTransactionOfASave() throws {
        defer { removeFiles() }
        try family.run { family in
            let child = NSEntityDescription.insertNewObject(forEntityName: "Child", into: family.context)
            child.setValue("Ada", forKey: "name")
            try family.context.save(to: store) { try $0.statement("INSERT INTO FURTHER VALUES ('with')").run() }
            #expect(child.objectID.storedKey.flatMap(store.objectID) == child.objectID)
            #expect(try names() == ["with"])
            child.setValue("Bea", forKey: "name")
            #expect(throws: Refusal.self) {
                try family.context.save(to: store) { transaction in
                    try transaction.statement("INSERT INTO FURTHER VALUES ('refused')").run()
                    throw Refusal()
                }
            }
            #expect(child.hasChanges)
            #expect(try names() == ["with"])
            family.context.rollback()
            #expect(child.value(forKey: "name") as? String == "Ada")
            // The refused work is not done by a later save.
            child.setValue("Eve", forKey: "name")
            try family.context.save()
            try family.context.save(to: store) { try $0.statement("INSERT INTO FURTHER VALUES ('without')").run() }
            #expect(try names() == ["with", "without"])
        }
    }

    @Test func whatATransactionThrowsUndoesIt() throws {
        defer { removeFiles() }
        #expect(throws: Refusal.self) {
            try store.transaction { transaction in
                try transaction.statement("INSERT INTO FURTHER VALUES ('refused')").run()
                throw Refusal()
            }
        }
        #expect(try names() == [])
    }

    @Test func savesOfOtherCoordinatorsAreObserved() async throws {
        defer { removeFiles() }
        let (saves, continuation) = AsyncStream.makeStream(of: Void.self)
        store.observeSaves { continuation.yield() }
        let other = Family()
        try other.context.persistentStoreCoordinator?.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file,
            options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        var iterator = saves.makeAsyncIterator()
        _ = try other.save("P", with: ["Ada"])
        await iterator.next()
        let removed = Mutex(false)
        store.observeRemoval { removed.withLock { $0 = true } }
        try family.context.persistentStoreCoordinator?.remove(store)
        #expect(removed.withLock { $0 })
    }
}
