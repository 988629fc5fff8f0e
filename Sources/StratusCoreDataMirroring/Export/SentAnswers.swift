import Foundation
import StratusCloudKit
import StratusCoreData

/// Settles what an answer is about.
final class SentAnswers {
    let session: MirrorSession
    private let sending: [CKRecord.ID: SentRecord]
    private let revertsForbidden: Bool
    private(set) var failures: [RecordFailure] = []
    /// Records that were changed here and deleted on the server.
    private(set) var goneOnServer: [CKRecord.ID] = []
    /// Records whose changes the person has no right to make, and that are taken back.
    private(set) var forbidden: [CKRecord.ID] = []
    /// Zones that the server does not have, although it should.
    private(set) var missingZones: Set<CKRecordZone.ID> = []
    /// Whether something waits that may succeed at once.
    private(set) var sendsAgain = false

    /// - Parameter revertsForbidden: Whether changes that the server forbids are taken back. In a private database the
    ///   person may do everything, so that they wait for the program or the server to be put right.
    init(_ session: MirrorSession, _ sending: [CKRecord.ID: SentRecord], revertsForbidden: Bool) {
        self.session = session
        self.sending = sending
        self.revertsForbidden = revertsForbidden
    }

    func take(_ changes: SentChanges) throws {
        for record in changes.saved { try takeSaved(record) }
        for recordID in changes.deleted { try takeDeleted(recordID) }
        for (recordID, error) in changes.failedSaves { try takeFailed(recordID, error) }
        for (recordID, error) in changes.failedDeletions { try takeFailedDeletion(recordID, error) }
    }

    private func takeSaved(_ record: CKRecord) throws {
        guard let sent = sending[record.recordID] else { return }
        try change(record.recordID, sent) { export in
            if sent.key == nil { export.takeLink(record) } else { export.take(record) }
            export.refused = nil
            if export.revision == sent.revision { export.pending = .nothing }
        }
        guard var row = try row(of: sent) else { return }
        row.base = sent.base
        session.put(row)
    }

    private func takeDeleted(_ recordID: CKRecord.ID) throws {
        guard let sent = sending[recordID] else { return }
        guard !sent.isFormer else {
            return session.removeFormer(RecordPlace(zone: sent.zone, name: recordID.recordName))
        }
        if sent.key != nil {
            if let row = try row(of: sent), row.export.revision == sent.revision { session.remove(row) }
        } else if var link = try session.link(named: recordID.recordName, in: sent.zone) {
            guard link.export.revision != sent.revision else { return session.remove(link) }
            // The link was made again while its deletion was on its way.
            link.export.server = nil
            link.export.note(.save)
            session.put(link)
        }
    }

    private func takeFailed(_ recordID: CKRecord.ID, _ error: CKError) throws {
        guard let sent = sending[recordID] else { return }
        fail(recordID, sent, error)
        switch error.code {
        // The engine fetches what the server has, and then the record is sent again.
        case .serverRecordChanged:
            if let record = error.serverRecord, let zone = session.zones[sent.zone] {
                try session.makeWay(for: record, in: zone)
            }
            sendsAgain = true
        case .unknownItem: goneOnServer.append(recordID)
        case .permissionFailure where revertsForbidden: forbidden.append(recordID)
        case .zoneNotFound, .userDeletedZone:
            missingZones.insert(recordID.zoneID)
            // The zone of a share is gone for good if the next fetch does not bring it.
            if session.rules.mirrored(recordID.zoneID) == session.rules.home { sendsAgain = true }
        // Sent again after the next save or at the next start.
        case .quotaExceeded, .batchRequestFailed: break
        case _ where error.isTransient: break
        default: try refuse(recordID, sent)
        }
    }

    private func takeFailedDeletion(_ recordID: CKRecord.ID, _ error: CKError) throws {
        guard let sent = sending[recordID] else { return }
        switch error.code {
        case .unknownItem where try mayHaveMoved(sent): goneOnServer.append(recordID)
        case .unknownItem, .zoneNotFound, .userDeletedZone: try takeDeleted(recordID)
        case .serverRecordChanged where sent.isFormer: try keepFormer(recordID, sent)
        // The engine fetches what the server has, and then the deletion is sent again.
        case .serverRecordChanged where session.rules.shareNames: sendsAgain = true
        case .serverRecordChanged:
            fail(recordID, sent, error)
            sendsAgain = true
        case .permissionFailure where revertsForbidden:
            fail(recordID, sent, error)
            forbidden.append(recordID)
        case .quotaExceeded, .batchRequestFailed: fail(recordID, sent, error)
        case _ where error.isTransient: fail(recordID, sent, error)
        default:
            fail(recordID, sent, error)
            try refuse(recordID, sent)
        }
    }

    /// Whether an object that was deleted here may have been moved by another device.
    private func mayHaveMoved(_ sent: SentRecord) throws -> Bool {
        try session.rules.shareNames && row(of: sent)?.export.server != nil
    }

    /// Keeps a record whose object has moved, and that was not deleted. Usually another device has changed it, so that
    /// it is deleted after it was fetched.
    private func keepFormer(
        _ recordID: CKRecord.ID, _ sent: SentRecord, _ deletion: FormerRecord.Deletion = .waitsForFetch
    ) throws {
        guard var former = try session.former(named: recordID.recordName, in: sent.zone) else { return }
        former.deletion = deletion
        session.put(former)
    }

    private func refuse(_ recordID: CKRecord.ID, _ sent: SentRecord) throws {
        guard !sent.isFormer else { return try keepFormer(recordID, sent, .isRefused) }
        try change(recordID, sent) { $0.refused = sent.revision }
    }

    private func fail(_ recordID: CKRecord.ID, _ sent: SentRecord, _ error: CKError) {
        let object = sent.key.flatMap { session.store.objectID($0) }?.uriRepresentation().absoluteString
        failures.append(RecordFailure(recordID: recordID, object: object, error: error))
    }

    /// Returns the state of an object that was sent; nil if it has moved to another zone meanwhile.
    private func row(of sent: SentRecord) throws -> RecordRow? {
        guard let key = sent.key, let row = try session.record(key), row.zone == sent.zone else { return nil }
        return row
    }

    private func change(_ recordID: CKRecord.ID, _ sent: SentRecord, _ body: (inout ExportState) -> Void) throws {
        if sent.key != nil {
            guard var row = try row(of: sent) else { return }
            body(&row.export)
            session.put(row)
        } else if var link = try session.link(named: recordID.recordName, in: sent.zone) {
            body(&link.export)
            session.put(link)
        }
    }
}
