import Foundation
import StratusCloudKit
import StratusCoreData

/// Takes over a page of fetched records in one save. Used on the queue of the context.
final class PageImport {
    let session: MirrorSession
    /// The zone of the records.
    let zone: ZoneRow
    let model: MirroredModel
    let context: NSManagedObjectContext
    let objects: MirroredObjects
    private(set) var failures: [RecordFailure] = []
    /// Whether something is gone at the end of the fetch that is not among its records.
    private var hasDeferred = false
    let page: FetchedPage
    /// To-one relationships that are set when all objects of the page exist.
    var references: [PendingReference] = []
    /// Objects that are new in the zone.
    var arrived: [StoredObjectKey] = []
    /// Those among them that were in another zone.
    var moved: [StoredObjectKey] = []

    init(
        _ page: FetchedPage, _ session: MirrorSession, _ zone: ZoneRow, _ model: MirroredModel,
        _ context: NSManagedObjectContext
    ) {
        self.page = page
        self.session = session
        self.zone = zone
        self.model = model
        self.context = context
        objects = MirroredObjects(session, model, context)
    }

    func run() throws {
        try forgetForbiddenDeletions()
        let (links, records) = page.records.partitioned { $0.recordType == LinkedPair.recordType }
        try session.readRecords(named: records.map(\.recordID.recordName), in: zone.number)
        for record in records {
            try session.makeWay(for: record, in: zone)
            try noteMove(record)
        }
        let (former, current) = try records.partitioned { try self.former(of: $0) != nil }
        try insertNew(current)
        for record in current {
            try takingFailures(of: record) { try merge($0) }
        }
        for record in former {
            try takingFailures(of: record) { try mergeFormer($0) }
        }
        for reference in references { try set(reference) }
        let rows = try arrived.compactMap { try session.record($0) }
        for row in rows { try completeReferences(to: row) }
        for record in links { try takingFailures(of: record) { try takeLink($0) } }
        for row in rows { try completeLinks(of: row) }
        try session.moveLinks(of: try moved.compactMap { try session.record($0) })
        for recordID in page.deletions { try takeDeletion(recordID.recordName) }
        try noteFurtherDeletions()
        try save()
    }

    private func takingFailures(of record: CKRecord, _ body: (CKRecord) throws -> Void) throws {
        do {
            try body(record)
        } catch let error as MirroredRecordError {
            failures.append(RecordFailure(recordID: record.recordID, object: nil, error: error))
            // The next export writes over the record, and needs its change tag.
            guard var row = try session.record(named: record.recordID.recordName, exactlyIn: zone.number) else {
                return
            }
            row.export.take(record)
            session.put(row)
        }
    }

    private func save() throws {
        let (changes, number, page, hasDeferred) = (session.changes, zone.number, page, hasDeferred)
        try context.save(to: session.store) { transaction in
            let tables = MirrorTables(transaction: transaction)
            try changes.write(to: tables)
            guard var zone = try tables.zone(number) else { return }
            if page.endsListing { zone.isListing = false }
            if hasDeferred { zone.isListing = true }
            if !page.records.isEmpty { (zone.isSaved, zone.isDraft) = (true, false) }
            if let share = page.share { zone.share = share.archive }
            try tables.update(zone)
        }
    }

    // MARK: - Objects

    /// Inserts objects for records that are new here.
    private func insertNew(_ records: [CKRecord]) throws {
        var inserted: [(CKRecord, NSManagedObject)] = []
        for record in records {
            try takingFailures(of: record) { record in
                let name = record.recordID.recordName
                guard try session.record(named: name, exactlyIn: zone.number) == nil,
                    let row = try model.row(of: record)
                else { return }
                let object = NSEntityDescription.insertNewObject(forEntityName: row.entity, into: context)
                context.assign(object, to: session.store)
                inserted.append((record, object))
            }
        }
        try context.obtainPermanentIDs(for: inserted.map(\.1))
        for (record, object) in inserted {
            guard let key = object.objectID.storedKey else { continue }
            session.put(
                RecordRow(key: key, zone: zone.number, name: record.recordID.recordName, changed: .distantPast))
            arrived.append(key)
        }
    }

    private func merge(_ record: CKRecord) throws {
        guard var state = try session.record(named: record.recordID.recordName, exactlyIn: zone.number),
            let theirs = try model.row(of: record)
        else { return }
        let isNew = state.export.server == nil && state.changed == .distantPast
        // A deletion here wins, and waits for export.
        guard state.export.pending != .delete else {
            state.export.take(record)
            return session.put(state)
        }
        let theirBase = MirroredBase(theirs)
        // The device's own changes come back once.
        if state.export.isListed, !page.reverts.contains(state.name), state.base == theirBase,
            try state.export.has(record)
        {
            return
        }
        guard let object = try objects.object(state.key), object.entity.name == theirs.entity else { return }
        if isNew {
            try objects.fill(object, with: theirs)
            note(theirs.references, of: object, state.name)
        } else if page.reverts.contains(state.name) {
            try revert(object, &state, to: theirs)
        } else {
            let merge = try self.merge(theirs, of: record, into: object, state, since: state.base)
            if merge.keepsOurs {
                state.export.note(.save)
            } else {
                state.export.pending = .nothing
            }
        }
        state.export.take(record)
        state.base = theirBase
        session.put(state)
    }

    func merge(
        _ theirs: MirroredRow, of record: CKRecord, into object: NSManagedObject, _ state: RecordRow,
        since base: MirroredBase?
    ) throws -> RowMerge {
        let ours = try objects.row(of: object, state)
        let isNewer = (record.modificationDate ?? .distantPast) >= state.changed
        let merge = RowMerge(base: base, ours: ours, theirs: theirs, prefersTheirs: isNewer)
        MirroringDebug.note(merge, of: record, in: session.store)
        try objects.take(merge, into: object)
        note(merge.references, of: object, state.name)
        return merge
    }

    // MARK: - Deletions

    /// Takes over that a record is gone. In the private database its object may have moved, and its record may come from
    /// another zone: the object goes at the end of the fetch if it did not.
    private func takeDeletion(_ name: String) throws {
        let mayHaveMoved = session.rules.shareNames && !page.endsListing
        if var row = try session.record(named: name, exactlyIn: zone.number) {
            if mayHaveMoved, row.export.server != nil {
                (row.export.isListed, hasDeferred) = (false, true)
                return session.put(row)
            }
            if let object = try objects.object(row.key) { context.delete(object) }
            for reference in try session.waiting(of: row) { session.remove(reference) }
            try session.deleteLinks(of: row)
            session.remove(row)
        } else if var link = try session.link(named: name, in: zone.number) {
            if mayHaveMoved, link.export.server != nil {
                (link.export.isListed, hasDeferred) = (false, true)
                return session.put(link)
            }
            session.remove(link)
            try unlink(link)
        } else {
            session.removeFormer(RecordPlace(zone: zone.number, name: name))
        }
    }

    /// Makes objects that delete rules have deleted wait for the deletion of their records.
    private func noteFurtherDeletions() throws {
        context.processPendingChanges()
        for object in context.deletedObjects {
            guard let key = object.objectID.storedKey, var row = try session.record(key),
                row.export.pending != .delete
            else { continue }
            try session.deleteLinks(of: row)
            row.export.note(.delete)
            session.put(row)
        }
    }
}

extension Array {
    /// Returns the elements that satisfy a condition, and the others, in their order.
    fileprivate func partitioned(_ isFirst: (Element) throws -> Bool) rethrows -> ([Element], [Element]) {
        var parts: ([Element], [Element]) = ([], [])
        for element in self {
            if try isFirst(element) { parts.0.append(element) } else { parts.1.append(element) }
        }
        return parts
    }
}
