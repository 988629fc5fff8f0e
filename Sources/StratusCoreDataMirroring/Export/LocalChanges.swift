import Foundation
import StratusCoreData

/// Notes which objects and links wait for export. Used on the queue of the context.
final class LocalChanges {
    private var session: MirrorSession
    private let model: MirroredModel
    private let context: NSManagedObjectContext
    /// Objects that are noted before they are written and forgotten. They are noted again if the process ends before
    /// the position of the history is written.
    private static let objectsInMemory = 1_000
    private var count = 0
    /// Objects that have no zone, because they are related to no shared one.
    private(set) var withoutZone: [StoredObjectKey] = []

    init(_ session: MirrorSession, _ model: MirroredModel, _ context: NSManagedObjectContext) {
        self.session = session
        self.model = model
        self.context = context
    }

    /// Writes what was noted, and the position of the history that it is from; nil if more is to come.
    func write(position: Int64?) throws {
        try session.write { tables in
            if let position { try tables.setPosition(position) }
        }
        session = try MirrorSession(session.store, session.rules)
    }

    // MARK: - From the history

    private struct Change {
        var date: Date
        /// The changed properties; nil for all.
        var properties: Set<String>? = []
        var isDeletion = false
    }

    /// Notes the changes of transactions.
    func note(_ transactions: [NSPersistentHistoryTransaction]) throws {
        var changes: [StoredObjectKey: Change] = [:]
        for transaction in transactions {
            for change in transaction.changes ?? [] {
                guard let key = change.changedObjectID.storedKey else { continue }
                var known = changes[key] ?? Change(date: transaction.timestamp)
                known.date = transaction.timestamp
                switch change.changeType {
                case .insert: known.properties = nil
                case .update:
                    if let updated = change.updatedProperties {
                        known.properties?.formUnion(updated.map(\.name))
                    } else {
                        known.properties = nil
                    }
                case .delete: known.isDeletion = true
                }
                changes[key] = known
            }
        }
        for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
            if change.isDeletion {
                try noteDeletion(of: key)
            } else {
                try noteSave(of: key, change.properties, at: change.date)
            }
        }
    }

    // MARK: - Without a history

    /// Notes all objects, and the deletion of those that are in the tables only. Those whose records are the same are
    /// not sent.
    func compareEverything() throws {
        let now = Date()
        var missing = Set(try session.read { try $0.recordKeys() })
        for entity in model.entityNames {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
            request.resultType = .managedObjectIDResultType
            request.includesSubentities = false
            request.affectedStores = [session.store]
            for objectID in try context.fetch(request) {
                guard let key = objectID.storedKey else { continue }
                missing.remove(key)
                try noteSave(of: key, nil, at: now)
            }
        }
        for key in missing.sorted() { try noteDeletion(of: key) }
    }

    // MARK: - One object

    private func noteSave(of key: StoredObjectKey, _ properties: Set<String>?, at date: Date) throws {
        guard let entity = model.entity(named: key.entity) else { return }
        count += 1
        if count % Self.objectsInMemory == 0 {
            try write(position: nil)
            context.reset()
        }
        guard let object = try context.object(at: key, in: session.store) else { return try noteDeletion(of: key) }
        let isNew = try session.record(key) == nil
        guard var row = try session.record(of: object) else { return }
        if row.zone == ZoneRow.noZone { withoutZone.append(key) }
        let isChanged = properties.map { !$0.isDisjoint(with: entity.recordProperties) } ?? true
        if isChanged {
            if !isNew { row.export.note(.save) }
            row.changed = date
            session.put(row)
        }
        for link in entity.links where isNew || properties?.contains(link.name) ?? true {
            try noteLinks(of: object, row, link)
        }
    }

    private func noteDeletion(of key: StoredObjectKey) throws {
        guard var row = try session.record(key), row.export.pending != .delete else { return }
        for reference in try session.waiting(of: row) { session.remove(reference) }
        try session.deleteLinks(of: row)
        guard row.zone != ZoneRow.noZone else { return session.remove(row) }
        row.export.note(.delete)
        session.put(row)
    }

    private func noteLinks(of object: NSManagedObject, _ row: RecordRow, _ link: MirroredLink) throws {
        let destinations = object.value(forKey: link.name) as? Set<NSManagedObject> ?? []
        var pairs: [LinkedPair: Int64] = [:]
        var known: Set<LinkedPair> = []
        for destination in destinations {
            guard let other = try session.record(of: destination), let zone = session.zone(linking: row, other)
            else { continue }
            pairs[link.pair(from: row.name, to: other.name)] = zone
        }
        for var stored in try session.links(of: row) {
            let pair = stored.pair
            guard pair.belongs(to: link, of: row.name) else { continue }
            if pairs[pair] != nil {
                // A link that was removed and made again before the removal was sent.
                if stored.export.pending == .delete {
                    stored.export.note(stored.export.server == nil ? .save : .nothing)
                }
                stored.isApplied = true
                known.insert(pair)
                session.put(stored)
            } else if stored.isApplied {
                stored.export.note(.delete)
                stored.isApplied = false
                session.put(stored)
            }
        }
        for (pair, zone) in pairs where !known.contains(pair) {
            var added = LinkRow(pair, zone: zone)
            added.export.note(.save)
            session.put(added)
        }
    }
}
