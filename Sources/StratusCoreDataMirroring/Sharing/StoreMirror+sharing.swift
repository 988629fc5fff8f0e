import Foundation
import StratusCloudKit
import StratusCoreData

// Objects move to zones of shares.
extension StoreMirror {
    /// Moves the graph of objects to the zone of a share.
    func share(
        _ objectIDs: [NSManagedObjectID], to share: CKShare?
    ) async throws -> (Set<NSManagedObjectID>, CKShare) {
        let objects = MirroringDebug.counted(objectIDs.count, "object")
        let target = share.map { "in zone \(MirroringDebug.shown($0.recordID.zoneID))" } ?? "in a new zone"
        return try await MirroringDebug.noting(
            "share \(objects) \(target)", of: store,
            end: { ": \(MirroringDebug.counted($0.0.count, "object")) moved" }
        ) { try await move(objectIDs, toZoneOf: share) }
    }

    private func move(
        _ objectIDs: [NSManagedObjectID], toZoneOf share: CKShare?
    ) async throws -> (Set<NSManagedObjectID>, CKShare) {
        let account = try await checkAccount()
        do {
            guard let share else { return try await shareAnew(objectIDs, account) }
            let zoneID = share.recordID.zoneID
            let moved = try await moveAndSend(objectIDs, to: zoneID, account)
            return (moved, try await onQueue { try self.makeSession().zone(zoneID)?.shareRecord() } ?? share)
        } catch {
            throw await accountChange(since: account) ?? error
        }
    }

    private func shareAnew(
        _ objectIDs: [NSManagedObjectID], _ account: String?
    ) async throws -> (Set<NSManagedObjectID>, CKShare) {
        guard plan.scope == .private else {
            throw MirroringError.sharing("only objects of a store of the private database can be in a new share")
        }
        if let zone = try await onQueue({ try self.unsharedZone(of: objectIDs) }) {
            let saved = try await save(CKShare(recordZoneID: zone))
            return (try await moveAndSend(objectIDs, to: zone, account), saved)
        }
        // Nothing is made on the server for objects that cannot be shared.
        try await onQueue { [self] in
            try checkStore(is: account)
            _ = try graph(of: objectIDs, to: nil)
        }
        return try await withDraft(of: account) { zoneID in
            await controls?.reach("share begins")
            _ = try await database.save(CKRecordZone(zoneID: zoneID))
            await controls?.reach("share has zone")
            if let change = await accountChange(since: account) { throw change }
            let saved = try await saveOnServer(CKShare(recordZoneID: zoneID))
            await controls?.reach("share saved")
            return (try await moveAndSend(objectIDs, to: zoneID, account, share: saved), saved)
        }
    }

    /// Moves a graph to a zone, and sends it.
    /// - Throws: An error also if somebody else has signed in meanwhile.
    private func moveAndSend(
        _ objectIDs: [NSManagedObjectID], to zoneID: CKRecordZone.ID, _ account: String?, share: CKShare? = nil
    ) async throws -> Set<NSManagedObjectID> {
        let moved = try await onQueue { [self] in
            try checkStore(is: account)
            if let share {
                try changeZone(zoneID) { _, zone in (zone.isSaved, zone.share) = (true, share.archive) }
            }
            return try move(objectIDs, to: zoneID)
        }
        await controls?.reach("objects moved")
        await synchronizeNow()
        if let change = await accountChange(since: account) { throw change }
        return moved
    }

    /// Returns the zone of a share that has ended, if one of the objects is still there; nil if none is.
    private func unsharedZone(of objectIDs: [NSManagedObjectID]) throws -> CKRecordZone.ID? {
        try noteLocalChanges()
        let session = try makeSession()
        for key in objectIDs.compactMap(\.storedKey) {
            guard let row = try session.record(key), row.zone != session.home?.number,
                let zone = session.zones[row.zone]
            else { continue }
            if zone.share == nil { return zone.zoneID }
        }
        return nil
    }

    /// Moves the records of a graph to a zone, and what is related to them in the tables.
    private func move(
        _ objectIDs: [NSManagedObjectID], to zoneID: CKRecordZone.ID
    ) throws -> Set<NSManagedObjectID> {
        try noteLocalChanges()
        guard let zone = try makeSession().zone(zoneID) else {
            throw MirroringError.sharing("the store does not have the zone '\(zoneID.zoneName)' of the share")
        }
        guard try zone.isWritable() else {
            throw MirroringError.sharing("the share '\(zoneID.zoneName)' may not be changed by the current user")
        }
        let keys = try graph(of: objectIDs, to: zone)
        let session = try makeSession()
        let moved = try keys.compactMap { key in
            try session.record(key).map { try session.move($0, to: zone.number) }
        }
        try session.moveLinks(of: moved)
        try session.write { tables in
            guard var zone = try tables.zone(zone.number) else { return }
            zone.isDraft = false
            try tables.update(zone)
        }
        MirroringDebug.note(moving: keys, to: zoneID, in: store)
        armExport()
        return Set(keys.compactMap { store.objectID($0) })
    }

    /// Returns the objects of a graph that are to move to a zone.
    private func graph(of objectIDs: [NSManagedObjectID], to zone: ZoneRow?) throws -> [StoredObjectKey] {
        try noteLocalChanges()
        let context = makeContext()
        return try context.performAndWait {
            try SharedGraph(try makeSession(), zone).keys(of: objectIDs, context)
        }
    }

    // MARK: - The server

    /// The database that has the zones of the store.
    var database: CKDatabase { plan.container.database(with: plan.scope) }

    /// Saves a share, and keeps it as the server has it.
    func save(_ share: CKShare) async throws -> CKShare {
        let zoneID = share.recordID.zoneID
        return try await MirroringDebug.noting("save the share of zone \(MirroringDebug.shown(zoneID))", of: store) {
            let saved = try await saveOnServer(share)
            try await onQueue { try self.changeZone(zoneID) { _, zone in zone.share = saved.archive } }
            return saved
        }
    }

    private func saveOnServer(_ share: CKShare) async throws -> CKShare {
        let results = try await database.modifyRecords(saving: [share], deleting: []).saveResults
        guard let saved = try results[share.recordID]?.get() as? CKShare else {
            throw MirroringError.sharing("the server did not save the share")
        }
        return saved
    }

    /// Deletes a zone on the server, and its objects here.
    func purge(_ zoneID: CKRecordZone.ID) async throws {
        guard let zoneID = rules.mirrored(zoneID) else { return }
        try await MirroringDebug.noting("purge zone \(MirroringDebug.shown(zoneID))", of: store) {
            do {
                _ = try await database.deleteRecordZone(withID: zoneID)
            } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone {}
            try await onQueue { try self.removeZone(zoneID) }
        }
    }

    /// Whether the store has objects of a zone. In a store of the private database only the person's own zones count:
    /// somebody else may have given the same name to a zone that is shared with the person.
    func hasZone(_ zoneID: CKRecordZone.ID) throws -> Bool {
        let session = try makeSession()
        guard session.zone(zoneID) != nil else { return false }
        return try plan.scope != .private || session.read { try $0.isPerson(zoneID.ownerName) }
    }

    /// Sends what waits, fetches, and sends what can be deleted after that. Failures are in the events.
    func synchronizeNow() async { await state.withLock { $0.engine }?.synchronize() }

    /// Returns the result of work on the store.
    func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result {
                        guard !self.isClosed else { throw MirroringError.sharing("the store is closed") }
                        return try body()
                    })
            }
        }
    }
}
