import Foundation
import StratusCloudKit
import StratusCoreData

/// A record that is on its way.
struct SentRecord: Sendable {
    /// The number of the zone.
    var zone: Int64
    /// The object; nil for a link.
    var key: StoredObjectKey?
    /// Whether this is a record that its object has left behind.
    var isFormer = false
    /// The revision of the state that was sent.
    var revision: Int64 = 0
    /// The values of the object that were sent.
    var base: MirroredBase?
}

/// Records that are sent together.
struct ExportBatch: Sendable {
    /// The most records that a batch can hold.
    static let limit = 250

    var records: [CKRecord] = []
    var deletions: [CKRecord.ID] = []
    /// The change tags of records that are deleted only if nobody has changed them.
    var changeTagsOfDeletions: [CKRecord.ID: String] = [:]
    var sending: [CKRecord.ID: SentRecord] = [:]

    var isEmpty: Bool { records.isEmpty && deletions.isEmpty }

    /// Returns as many of the records as one request may hold.
    func limited() async -> CKSyncEngine.RecordZoneChangeBatch? {
        let byID = Dictionary(records.map { ($0.recordID, $0) }, uniquingKeysWith: { $1 })
        let changes =
            deletions.map { CKSyncEngine.PendingRecordZoneChange.deleteRecord($0) }
            + records.map { CKSyncEngine.PendingRecordZoneChange.saveRecord($0.recordID) }
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { byID[$0] }
        batch?.changeTagsOfDeletions = changeTagsOfDeletions
        return batch
    }
}

/// Builds a batch from the objects as they are. Used on the queue of the context.
final class ExportBuilder {
    private let session: MirrorSession
    private let zone: ZoneRow
    private let objects: MirroredObjects
    private let model: MirroredModel
    private let context: NSManagedObjectContext
    private let staging: AssetStaging
    private(set) var batch = ExportBatch()
    private(set) var failures: [RecordFailure] = []

    init(
        _ session: MirrorSession, _ zone: ZoneRow, _ model: MirroredModel, _ context: NSManagedObjectContext,
        _ staging: AssetStaging
    ) {
        self.session = session
        self.zone = zone
        self.model = model
        self.context = context
        self.staging = staging
        objects = MirroredObjects(session, model, context)
    }

    /// Adds the records of what waits.
    func run(_ records: [RecordRow], _ links: [LinkRow]) throws {
        try context.performAndWait {
            for row in records { try add(row) }
            for link in links { add(link) }
        }
    }

    /// Adds the deletion of records that objects have left behind.
    func run(_ formers: [FormerRecord]) {
        for former in formers {
            let recordID = CKRecord.ID(recordName: former.name, zoneID: zone.zoneID)
            batch.deletions.append(recordID)
            batch.changeTagsOfDeletions[recordID] = former.tag
            batch.sending[recordID] = SentRecord(zone: zone.number, isFormer: true)
        }
    }

    /// Adds the record of an object, if it differs from what the server has.
    private func add(_ row: RecordRow) throws {
        let recordID = CKRecord.ID(recordName: row.name, zoneID: zone.zoneID)
        guard row.export.pending == .save, let object = try objects.object(row.key) else {
            return try delete(row, recordID)
        }
        do {
            let mirrored = try objects.row(of: object, row)
            let base = MirroredBase(mirrored)
            if row.export.server != nil, row.base == base { return settle(row) }
            let record = try row.export.serverRecord() ?? model.record(recordID, of: row.key.entity)
            try model.fill(record, with: mirrored, unchanged: base.unchanged(since: row.base), staging: staging)
            if row.export.server != nil, record.changedKeys().isEmpty, record.encryptedValues.changedKeys().isEmpty {
                return settle(row)
            }
            batch.records.append(record)
            batch.sending[recordID] = SentRecord(
                zone: zone.number, key: row.key, revision: row.export.revision, base: base)
        } catch {
            var refused = row
            refused.export.refused = row.export.revision
            session.put(refused)
            failures.append(
                RecordFailure(
                    recordID: recordID, object: object.objectID.uriRepresentation().absoluteString, error: error))
        }
    }

    /// Adds the record of a link.
    private func add(_ link: LinkRow) {
        let recordID = CKRecord.ID(recordName: link.name, zoneID: zone.zoneID)
        guard link.export.pending == .save else {
            batch.deletions.append(recordID)
            batch.sending[recordID] = SentRecord(zone: zone.number, revision: link.export.revision)
            return
        }
        guard link.export.server == nil else {
            var settled = link
            settled.export.pending = .nothing
            return session.put(settled)
        }
        batch.records.append(link.pair.record(recordID))
        batch.sending[recordID] = SentRecord(zone: zone.number, revision: link.export.revision)
    }

    private func delete(_ row: RecordRow, _ recordID: CKRecord.ID) throws {
        var row = row
        if row.export.pending != .delete {
            row.export.note(.delete)
            session.put(row)
            try session.deleteLinks(of: row)
        }
        batch.deletions.append(recordID)
        batch.sending[recordID] = SentRecord(zone: zone.number, key: row.key, revision: row.export.revision)
        // A record that is not there may have moved, and is then deleted in its new zone. The server says so only if it
        // is to compare change tags.
        guard session.rules.shareNames else { return }
        batch.changeTagsOfDeletions[recordID] = try row.export.serverRecord()?.recordChangeTag
    }

    private func settle(_ row: RecordRow) {
        var row = row
        row.export.pending = .nothing
        session.put(row)
    }
}
