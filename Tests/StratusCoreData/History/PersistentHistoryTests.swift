import Foundation
import StratusCoreData
import Testing

@Suite struct PersistentHistoryTests {
    private let family: Family
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")

    init() throws {
        family = Self.family()
        try Self.open(file, in: family)
    }

    /// A family whose names deletions preserve, and in which parents outlive their children.
    private static func family() -> Family {
        Family { model in
            for entity in model.entities {
                entity.attributesByName["name"]?.preservesValueInHistoryOnDeletion = true
            }
            model.entitiesByName["Child"]?.relationshipsByName["parent"]?.deleteRule = .nullifyDeleteRule
        }
    }

    private static func open(_ file: URL, in family: Family, keepsHistory: Bool = true) throws {
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true as NSNumber,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
        ]
        _ = try family.context.persistentStoreCoordinator?.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: keepsHistory ? options : nil)
    }

    private func removeFiles() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
    }

    private func execute(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        try family.run { (family: Family) throws in
            let result = try family.context.execute(request) as? NSPersistentHistoryResult
            #expect(result?.resultType == request.resultType)
            return result?.result
        }
    }

    private func transactions(
        after token: NSPersistentHistoryToken?
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        return try #require(try execute(request) as? [NSPersistentHistoryTransaction])
    }

    private var token: NSPersistentHistoryToken? {
        family.context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    }

    /// Saves a parent with a child, renames the parent and deletes the child.
    private func makeHistory() throws -> NSManagedObjectID {
        family.run { $0.context.transactionAuthor = "first" }
        let id = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            family.context.transactionAuthor = "second"
            family.context.name = "context"
            family.context.object(with: id).setValue("Q", forKey: "name")
            try family.context.save()
            family.context.delete(try #require(try family.fetch("Child").first))
            try family.context.save()
        }
        return id
    }

    @Test func savesAreInTheHistoryWithTheirAuthors() throws {
        defer { removeFiles() }
        let id = try makeHistory()
        let found = try transactions(after: nil)
        #expect(found.map(\.author) == ["first", "second", "second"])
        #expect(found.map(\.contextName) == [nil, "context", "context"])
        #expect(found.map(\.transactionNumber) == [1, 2, 3])
        #expect(found.allSatisfy { $0.processID == ProcessInfo.processInfo.processName })
        #expect(found[0].changes?.map(\.changeType) == [.insert, .insert])
        let update = try #require(found[1].changes?.first)
        #expect(update.changedObjectID == id && update.changeType == .update && update.tombstone == nil)
        #expect(update.updatedProperties?.map(\.name) == ["name"])
        #expect(update.transaction === found[1])
        let deletion = try #require(found[2].changes?.first { $0.changeType == .delete })
        #expect(deletion.tombstone as? [String: String] == ["name": "Ada"])
    }

    @Test func tokensContinueAndSurviveAsData() throws {
        defer { removeFiles() }
        let before = try #require(token)
        _ = try makeHistory()
        let all = try transactions(after: before)
        let data = try NSKeyedArchiver.archivedData(withRootObject: all[0].token, requiringSecureCoding: true)
        let kept = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data))
        #expect(kept == all[0].token)
        #expect(try transactions(after: kept).map(\.transactionNumber) == [2, 3])
        #expect(try transactions(after: token).isEmpty && token == all[2].token)
        let date = NSPersistentHistoryChangeRequest.fetchHistory(after: all[1].timestamp)
        #expect((try execute(date) as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber) == [3])
        _ = try execute(.deleteHistory(before: all[2]))
        #expect(try transactions(after: all[1].token).map(\.transactionNumber) == [3])
        let error = #expect(throws: CocoaError.self) { try transactions(after: kept) }
        #expect(error?.code == .persistentHistoryTokenExpired)
    }

    @Test func requestsChooseTheirResults() throws {
        defer { removeFiles() }
        let id = try makeHistory()
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        all.resultType = .count
        // The parent of the deleted child is changed, too.
        let count = try #require(try execute(all) as? Int)
        #expect(count >= 4)
        all.resultType = .objectIDs
        #expect((try execute(all) as? [NSManagedObjectID])?.count == count)
        all.resultType = .changesOnly
        #expect((try execute(all) as? [NSPersistentHistoryChange])?.count == count)
        all.resultType = .transactionsOnly
        #expect((try execute(all) as? [NSPersistentHistoryTransaction])?.allSatisfy { $0.changes == nil } == true)

        let ofAuthor = try #require(NSPersistentHistoryTransaction.fetchRequest)
        ofAuthor.predicate = NSPredicate(format: "author == %@", "second")
        ofAuthor.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        let found = try execute(.fetchHistory(withFetch: ofAuthor)) as? [NSPersistentHistoryTransaction]
        #expect(found?.map(\.transactionNumber) == [3, 2])
        let ofObject = try #require(NSPersistentHistoryChange.fetchRequest)
        ofObject.predicate = NSPredicate(format: "changedObjectID == %@ AND changeType == 0", id)
        let changed = try execute(.fetchHistory(withFetch: ofObject)) as? [NSPersistentHistoryTransaction]
        #expect(changed?.map(\.transactionNumber) == [1] && changed?.first?.changes?.count == 1)
    }

    @Test func notificationsOfTransactionsHaveTheIDs() throws {
        defer { removeFiles() }
        let id = try makeHistory()
        let notification = try transactions(after: nil)[0].objectIDNotification()
        let inserted = notification.userInfo?["inserted_objectIDs"] as? Set<NSManagedObjectID>
        #expect(inserted?.contains(id) == true && inserted?.count == 2)
        #expect(notification.userInfo?["updated_objectIDs"] == nil)
    }

    @Test func transactionsOfOtherProcessesAreMerged() throws {
        defer { removeFiles() }
        let id = try family.save("P", with: ["Ada"])
        let parent = try family.run { try $0.context.existingObject(with: id) }
        let ada = try family.run { try $0.fetch("Child")[0] }
        #expect(family.run { _ in parent.names("children") } == ["Ada"])
        let before = try #require(token)
        // Another coordinator shares nothing but the file.
        let other = Self.family()
        try Self.open(file, in: other)
        try other.run { (other: Family) throws in
            try other.fetch("Parent")[0].setValue("Q", forKey: "name")
            try other.context.save()
            other.context.delete(try other.fetch("Child")[0])
            try other.context.save()
        }
        for transaction in try transactions(after: before) {
            family.run { $0.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification()) }
        }
        family.run { _ in
            #expect(parent.label == "Q" && parent.names("children").isEmpty)
            #expect(ada.managedObjectContext == nil)
        }
    }

    @Test func aPositionBeforeTheFirstTransactionExpires() throws {
        defer { removeFiles() }
        let start = try #require(token)
        _ = try makeHistory()
        #expect(try transactions(after: start).count == 3)
        _ = try execute(.deleteHistory(before: try transactions(after: start)[2]))
        let error = #expect(throws: CocoaError.self) { try transactions(after: start) }
        #expect(error?.code == .persistentHistoryTokenExpired)
        #expect(try transactions(after: nil).map(\.transactionNumber) == [3])
    }

    @Test func observersHearOfSaves() throws {
        defer { removeFiles() }
        nonisolated(unsafe) var tokens: [NSPersistentHistoryToken?] = []
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { notification in
            #expect(notification.userInfo?[NSStoreUUIDKey] as? String == coordinator.persistentStores[0].identifier)
            tokens.append(notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = try makeHistory()
        #expect(tokens.count == 3 && tokens.last == token)
    }

    @Test func aStoreWithoutTheOptionIsOnlyReadAndHasNoHistory() throws {
        defer { removeFiles() }
        _ = try makeHistory()
        let other = Self.family()
        try Self.open(file, in: other, keepsHistory: false)
        try other.run { (other: Family) throws in
            #expect(other.context.persistentStoreCoordinator?.persistentStores[0].isReadOnly == true)
            #expect(try other.names("Parent") == ["Q"])
            let error = #expect(throws: CocoaError.self) {
                try other.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            }
            #expect(error?.code == .persistentStoreUnsupportedRequestType)
        }
    }
}
