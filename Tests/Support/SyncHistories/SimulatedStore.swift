import CloudKit

/// What an app keeps on a device: what a process leaves to the next.
struct SimulatedStore {
    /// A record as the app has it. Its content is the set of all edits that went into it, so that nothing can be lost unnoticed.
    struct Note {
        var edits: Set<Int> = []
        /// Whether the server is not known to have it.
        var isUnsent = false
        /// Whether what is to be sent is a deletion.
        var isDeleted = false
        /// As the server had it last.
        var known: CKRecord?
    }

    enum Zone { case unsent, known, deleting }

    var zones: [CKRecordZone.ID: Zone] = [:]
    var notes: [CKRecord.ID: Note] = [:]
    /// Whose all of this is; nil if nobody has signed in yet.
    var owner: Person?
    /// Who was signed in as the engine knew last, and when it gave the serialization.
    var engineOwner: Person?, keptOwner: Person?
    var serialization: CKSyncEngine.State.Serialization?
    /// What waited in the engine when it gave the serialization.
    var pendingRecords: [CKSyncEngine.PendingRecordZoneChange] = []
    var pendingZones: [CKSyncEngine.PendingDatabaseChange] = []

    /// What there is for whoever looks at the app.
    var visible: [CKRecord.ID: Set<Int>] { notes.filter { !$0.value.isDeleted }.mapValues(\.edits) }

    /// Records of a zone, in order.
    func recordIDs(in zoneID: CKRecordZone.ID) -> [CKRecord.ID] {
        notes.keys.filter { $0.zoneID == zoneID }.sorted { $0.recordName < $1.recordName }
    }

    /// What is not sent yet, in order.
    var unsent: [CKSyncEngine.PendingRecordZoneChange] {
        notes.filter(\.value.isUnsent).sorted {
            ($0.key.zoneID.zoneName, $0.key.recordName) < ($1.key.zoneID.zoneName, $1.key.recordName)
        }
        .map { $0.value.isDeleted ? .deleteRecord($0.key) : .saveRecord($0.key) }
    }

    var unsentZones: [CKSyncEngine.PendingDatabaseChange] {
        zones.sorted { $0.key.zoneName < $1.key.zoneName }.compactMap { zoneID, zone in
            switch zone {
            case .unsent: .saveZone(CKRecordZone(zoneID: zoneID))
            case .deleting: .deleteZone(zoneID)
            case .known: nil
            }
        }
    }
}

extension CKRecord {
    static let noteType = "Note"

    var edits: Set<Int> { Set(self["edits"] as? [Int] ?? []) }

    /// A note as it is to be sent.
    static func note(_ recordID: CKRecord.ID, _ note: SimulatedStore.Note) -> CKRecord {
        let record =
            note.known.flatMap { $0.copy() as? CKRecord } ?? CKRecord(recordType: noteType, recordID: recordID)
        record["edits"] = note.edits.sorted()
        return record
    }
}
