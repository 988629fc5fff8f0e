import Foundation
import StratusCloudKit
import StratusCoreData

// Objects that leave the store because the person or a zone is gone.
extension StoreMirror {
    /// Deletes the objects of the store after its account has gone away, and forgets everything about their records.
    func removeEverything(of account: String) throws {
        try removing { context in
            for name in model.entityNames {
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                request.affectedStores = [store]
                for object in try context.fetch(request) { context.delete(object) }
            }
            let home = rules.home
            try context.save(to: store) { transaction in
                let tables = MirrorTables(transaction: transaction)
                try tables.clear(after: account)
                if let home { _ = try tables.zone(home) }
            }
        }
    }

    /// Deletes the objects of a zone, and forgets the zone.
    func removeZone(_ zoneID: CKRecordZone.ID) throws {
        try noteLocalChanges()
        guard let zone = try makeSession().zone(zoneID) else { return }
        try removing { context in
            let keys = try store.reading { try MirrorTables(transaction: $0).recordKeys(in: zone.number) }
            for key in keys {
                if let object = try context.object(at: key, in: store) { context.delete(object) }
            }
            try removeLinks(in: zone, context)
            let (further, home) = (try furtherDeletions(context, besides: keys), rules.home)
            try context.save(to: store) { transaction in
                let tables = MirrorTables(transaction: transaction)
                try further.write(to: tables)
                try tables.delete(zone)
                if zone.zoneID == home { _ = try tables.zone(zone.zoneID) }
            }
        }
        armExport()
    }

    /// Removes the links whose records are in a zone from objects that are in others.
    private func removeLinks(in zone: ZoneRow, _ context: NSManagedObjectContext) throws {
        let session = try makeSession()
        let objects = MirroredObjects(session, model, context)
        for link in try session.read({ try $0.links(in: zone.number) }) where link.isApplied {
            guard let first = try objects.object(named: link.first, from: zone.number),
                let second = try objects.object(named: link.second, from: zone.number)
            else { continue }
            first.mutableSetValue(forKey: link.pair.firstRelationship).remove(second)
        }
    }

    /// Returns the state of objects in other zones that delete rules have deleted, and of the links there that objects
    /// of a zone had.
    private func furtherDeletions(
        _ context: NSManagedObjectContext, besides keys: [StoredObjectKey]
    ) throws -> MirrorChanges {
        context.processPendingChanges()
        let session = try makeSession()
        if rules.shareNames {
            for row in try keys.compactMap({ try session.record($0) }) { try session.deleteLinks(of: row) }
        }
        let known = Set(keys)
        for object in context.deletedObjects {
            guard let key = object.objectID.storedKey, !known.contains(key), var row = try session.record(key),
                row.export.pending != .delete
            else { continue }
            try session.deleteLinks(of: row)
            row.export.note(.delete)
            session.put(row)
        }
        return session.changes
    }

    private func removing(_ body: (NSManagedObjectContext) throws -> Void) throws {
        var attempt = 1
        while true {
            let context = makeContext()
            do {
                return try context.performAndWait { try body(context) }
            } catch  where error.isConflict && attempt < Self.attempts {
                attempt += 1
            }
        }
    }
}
