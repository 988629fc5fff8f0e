extension CKSyncEngine {
    /// Something about a record that waits to be sent.
    public enum PendingRecordZoneChange: Hashable, Sendable {
        /// It is to be saved; the delegate gives the record when its turn has come.
        case saveRecord(CKRecord.ID)
        /// It is to be deleted.
        case deleteRecord(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let recordID), .deleteRecord(let recordID): recordID
            }
        }
    }

    /// Something about a zone that waits to be sent. Two changes are equal if they do the same with a zone of the same name
    /// and owner.
    public enum PendingDatabaseChange: Hashable, Sendable {
        /// It is to be made.
        case saveZone(CKRecordZone)
        /// It is to be deleted, with all that is in it.
        case deleteZone(CKRecordZone.ID)

        var zoneID: CKRecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let zoneID): zoneID
            }
        }

        private var isDeletion: Bool { if case .deleteZone = self { true } else { false } }

        /// Whether both do the same with the same zone.
        public static func == (left: PendingDatabaseChange, right: PendingDatabaseChange) -> Bool {
            left.isDeletion == right.isDeletion && left.zoneID == right.zoneID
        }

        /// Of what is done, and with which zone.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(isDeletion)
            hasher.combine(zoneID)
        }
    }
}

extension CKSyncEngine.PendingRecordZoneChange: CustomStringConvertible {
    /// For logs.
    public var description: String {
        switch self {
        case .saveRecord(let recordID): "saveRecord(\(recordID))"
        case .deleteRecord(let recordID): "deleteRecord(\(recordID))"
        }
    }
}

extension CKSyncEngine.PendingDatabaseChange: CustomStringConvertible {
    /// For logs.
    public var description: String {
        switch self {
        case .saveZone(let zone): "saveZone(\(zone.zoneID))"
        case .deleteZone(let zoneID): "deleteZone(\(zoneID))"
        }
    }
}
