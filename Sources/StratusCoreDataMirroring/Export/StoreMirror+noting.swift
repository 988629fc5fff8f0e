import Foundation
import StratusCloudKit
import StratusCoreData

// Changes that programs have saved are noted in the tables.
extension StoreMirror {
    /// Notes soon what programs have saved, and begins to send it.
    func noteSoon() {
        let isNew = state.withLock { state in
            guard !state.isClosed, !state.isNotingPlanned else { return false }
            state.isNotingPlanned = true
            return true
        }
        guard isNew else { return }
        queue.async { [weak self] in
            guard let self else { return }
            state.withLock { $0.isNotingPlanned = false }
            guard !isClosed else { return }
            do {
                try noteLocalChanges()
                armExport()
            } catch {
                if !isClosed { events.report(.export, error) }
            }
        }
    }

    /// Makes the engine ask for batches, if something waits.
    func armExport() {
        guard let engine = state.withLock({ $0.engine }) else { return }
        do {
            let (waits, zones) = try store.reading { transaction in
                let tables = MirrorTables(transaction: transaction)
                return (try tables.account() != nil && tables.hasPending(), try tables.zones())
            }
            guard waits else { return }
            let unsaved = zones.filter { $0.needsSaving(rules) }
            engine.sendSoon(saving: unsaved.map { CKRecordZone(zoneID: $0.zoneID) })
        } catch {
            if !isClosed { events.report(.export, error) }
        }
    }

    /// Notes what programs have saved since the last time.
    func noteLocalChanges() throws {
        let known = try store.reading { try MirrorTables(transaction: $0).position() }
        let context = makeContext()
        let noting = LocalChanges(try makeSession(), model, context)
        if let known, let history = try history(after: known, context) {
            guard let last = history.map(\.transactionNumber).max() else { return }
            try context.performAndWait { try noting.note(history.filter { $0.author != Self.importAuthor }) }
            try noting.write(position: last)
            reportWithoutZone(noting.withoutZone)
            MirroringDebug.write(.batches, store, "noted the changes of \(history.count) saves, up to \(last)")
        } else {
            // Saves from now on are seen twice, which changes nothing.
            let token = coordinator.currentPersistentHistoryToken(fromStores: [store])
            try context.performAndWait { try noting.compareEverything() }
            try noting.write(position: token?.positions[store.identifier ?? ""] ?? 0)
            MirroringDebug.write(.batches, store, "compared all objects, because the history does not reach back")
        }
    }

    /// Names the objects of a store of the shared database that cannot be sent, because nothing says in which share they
    /// belong.
    private func reportWithoutZone(_ keys: [StoredObjectKey]) {
        guard !keys.isEmpty else { return }
        let names = keys.prefix(10).compactMap { store.objectID($0)?.uriRepresentation().absoluteString }
        events.report(
            .export,
            MirroringError.sharing(
                "\(keys.count) objects are related to no shared object and wait until they are, or are added to a share "
                    + "by share(_:to:): \(names.joined(separator: ", "))\(keys.count > 10 ? ", …" : "")"))
    }

    /// Returns what was saved after a position; nil if some of it has been deleted.
    private func history(
        after position: Int64, _ context: NSManagedObjectContext
    ) throws -> [NSPersistentHistoryTransaction]? {
        let token = NSPersistentHistoryToken([store.identifier ?? "": position])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.affectedStores = [store]
        do {
            let result = try context.performAndWait { try context.execute(request) as? NSPersistentHistoryResult }
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        } catch  where error.isCocoa(.persistentHistoryTokenExpired) {
            return nil
        }
    }

    /// Returns a context for work of the mirror.
    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = Self.importAuthor
        context.validatesChanges = false
        // Other processes save to the store as well.
        context.stalenessInterval = 0
        context.undoManager = nil
        return context
    }
}
