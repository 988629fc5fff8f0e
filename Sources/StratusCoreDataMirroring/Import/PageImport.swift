import Foundation
import StratusCloudKit
import StratusCoreData

/// Takes over a page of fetched records in one save. Used on the queue of the context.
final class PageImport {
    let session: MirrorSession
    let model: MirroredModel
    let context: NSManagedObjectContext
    let objects: MirroredObjects
    private(set) var failures: [RecordFailure] = []
    private let page: FetchedPage
    /// To-one relationships that are set when all objects of the page exist.
    var references: [PendingReference] = []
    /// Records whose objects are new.
    private var arrived: [String] = []

    init(
        _ page: FetchedPage, _ session: MirrorSession, _ model: MirroredModel, _ context: NSManagedObjectContext
    ) {
        self.page = page
        self.session = session
        self.model = model
        self.context = context
        objects = MirroredObjects(session, model, context)
    }

    func run() throws {
        let (links, records) = page.records.partitioned { $0.recordType == LinkedPair.recordType }
        try insertNew(records)
        for record in records {
            try takingFailures(of: record) { try merge($0) }
        }
        for reference in references { try set(reference) }
        for name in arrived { try completeReferences(to: name) }
        for record in links { try takingFailures(of: record) { try takeLink($0) } }
        for name in arrived { try completeLinks(of: name) }
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
            guard var row = try session.record(named: record.recordID.recordName) else { return }
            row.export.take(record)
            session.put(row)
        }
    }

    private func save() throws {
        let (changes, zone, endsListing) = (session.changes, session.zone, page.endsListing)
        try context.save(to: session.store) { transaction in
            let tables = MirrorTables(transaction: transaction)
            try changes.write(to: tables, zone: zone.number)
            guard endsListing else { return }
            var zone = try tables.zone(zone.zoneID)
            zone.isListing = false
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
                guard try session.record(named: name) == nil, let row = try model.row(of: record) else { return }
                let object = NSEntityDescription.insertNewObject(forEntityName: row.entity, into: context)
                context.assign(object, to: session.store)
                inserted.append((record, object))
            }
        }
        try context.obtainPermanentIDs(for: inserted.map(\.1))
        for (record, object) in inserted {
            guard let key = object.objectID.storedKey else { continue }
            session.put(
                RecordRow(
                    key: key, zone: session.zone.number, name: record.recordID.recordName, changed: .distantPast))
            arrived.append(record.recordID.recordName)
        }
    }

    private func merge(_ record: CKRecord) throws {
        let name = record.recordID.recordName
        guard var state = try session.record(named: name), let theirs = try model.row(of: record) else { return }
        let isNew = state.export.server == nil && state.changed == .distantPast
        // A deletion here wins, and waits for export.
        guard state.export.pending != .delete else {
            state.export.isListed = true
            return session.put(state)
        }
        guard let object = try objects.object(state.key), object.entity.name == theirs.entity else { return }
        if isNew {
            try objects.fill(object, with: theirs)
            note(theirs.references, of: object, name)
        } else {
            let ours = try objects.row(of: object, state)
            let isNewer = (record.modificationDate ?? .distantPast) >= state.changed
            let merge = RowMerge(base: state.base, ours: ours, theirs: theirs, prefersTheirs: isNewer)
            MirroringDebug.note(merge, of: record, in: session.store)
            try objects.take(merge, into: object)
            note(merge.references, of: object, name)
            if merge.keepsOurs {
                state.export.note(.save)
            } else {
                state.export.pending = .nothing
            }
        }
        state.export.take(record)
        state.base = MirroredBase(theirs)
        session.put(state)
    }

    // MARK: - Deletions

    private func takeDeletion(_ name: String) throws {
        if let row = try session.record(named: name) {
            if let object = try objects.object(row.key) { context.delete(object) }
            session.remove(row)
            for reference in try session.waiting(of: name) { session.remove(reference) }
            try session.deleteLinks(of: name)
        } else if let link = try session.link(named: name) {
            session.remove(link)
            try unlink(link)
        }
    }

    /// Makes objects that delete rules have deleted wait for the deletion of their records.
    private func noteFurtherDeletions() throws {
        context.processPendingChanges()
        for object in context.deletedObjects {
            guard let key = object.objectID.storedKey, var row = try session.record(key),
                row.export.pending != .delete
            else { continue }
            row.export.note(.delete)
            session.put(row)
            try session.deleteLinks(of: row.name)
        }
    }
}

extension Array {
    /// Returns the elements that satisfy a condition, and the others, in their order.
    fileprivate func partitioned(_ isFirst: (Element) -> Bool) -> ([Element], [Element]) {
        (filter(isFirst), filter { !isFirst($0) })
    }
}
