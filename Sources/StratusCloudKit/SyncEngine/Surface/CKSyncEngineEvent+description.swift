// For logs: what happened, with names and numbers; no values.

extension CKSyncEngine.Event: CustomStringConvertible {
    /// The case, and what it brings in brackets.
    public var description: String {
        switch self {
        case .stateUpdate: "stateUpdate"
        case .accountChange(let event): "accountChange(\(event))"
        case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges(\(event))"
        case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges(\(event))"
        case .sentDatabaseChanges(let event): "sentDatabaseChanges(\(event))"
        case .sentRecordZoneChanges(let event): "sentRecordZoneChanges(\(event))"
        case .willFetchChanges(let event): "willFetchChanges(\(event))"
        case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges(\(event))"
        case .didFetchRecordZoneChanges(let event): "didFetchRecordZoneChanges(\(event))"
        case .didFetchChanges(let event): "didFetchChanges(\(event))"
        case .willSendChanges(let event): "willSendChanges(\(event))"
        case .didSendChanges(let event): "didSendChanges(\(event))"
        }
    }
}

extension CKSyncEngine.Event.StateUpdate: CustomStringConvertible {
    /// How much there is to keep.
    public var description: String { "\(stateSerialization)" }
}

extension CKSyncEngine.State.Serialization: CustomStringConvertible {
    /// How much waits; tokens are nobody's business.
    public var description: String {
        "<Serialization: pendingRecordZoneChanges=\(state.recordChanges.changes.count), "
            + "pendingDatabaseChanges=\(state.databaseChanges.changes.count)>"
    }
}

extension CKSyncEngine.Event.AccountChange: CustomStringConvertible {
    /// Who came and went.
    public var description: String { "\(changeType)" }
}

extension CKSyncEngine.Event.AccountChange.ChangeType: CustomStringConvertible {
    /// Who came and went.
    public var description: String {
        switch self {
        case .signIn(let current): "signIn(currentUser: \(current.recordName))"
        case .signOut(let previous): "signOut(previousUser: \(previous.recordName))"
        case .switchAccounts(let previous, let current):
            "switchAccounts(previousUser: \(previous.recordName), currentUser: \(current.recordName))"
        }
    }
}

extension CKSyncEngine.Event.FetchedDatabaseChanges: CustomStringConvertible {
    /// How many zones.
    public var description: String { "modifications: \(modifications.count), deletions: \(deletions.count)" }
}

extension CKSyncEngine.Event.FetchedRecordZoneChanges: CustomStringConvertible {
    /// How many records.
    public var description: String { "modifications: \(modifications.count), deletions: \(deletions.count)" }
}

extension CKSyncEngine.Event.SentDatabaseChanges: CustomStringConvertible {
    /// How many zones.
    public var description: String {
        "saved: \(savedZones.count), failedSaves: \(failedZoneSaves.count), deleted: \(deletedZoneIDs.count), "
            + "failedDeletes: \(failedZoneDeletes.count)"
    }
}

extension CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave: CustomStringConvertible {
    /// Which zone, and why.
    public var description: String { "<FailedZoneSave: zone=\(zone.zoneID.zoneName), error=\(error.code)>" }
}

extension CKSyncEngine.Event.SentRecordZoneChanges: CustomStringConvertible {
    /// How many records.
    public var description: String {
        "saved: \(savedRecords.count), failedSaves: \(failedRecordSaves.count), deleted: \(deletedRecordIDs.count), "
            + "failedDeletes: \(failedRecordDeletes.count)"
    }
}

extension CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave: CustomStringConvertible {
    /// Which record, and why.
    public var description: String { "<FailedRecordSave: record=\(record.recordID.recordName), error=\(error.code)>" }
}

extension CKSyncEngine.Event.WillFetchChanges: CustomStringConvertible {
    /// Why.
    public var description: String { "\(context.reason)" }
}

extension CKSyncEngine.Event.DidFetchChanges: CustomStringConvertible {
    /// Why.
    public var description: String { "\(context.reason)" }
}

extension CKSyncEngine.Event.WillFetchRecordZoneChanges: CustomStringConvertible {
    /// The zone.
    public var description: String { zoneID.zoneName }
}

extension CKSyncEngine.Event.DidFetchRecordZoneChanges: CustomStringConvertible {
    /// The zone, and what went wrong.
    public var description: String { zoneID.zoneName + (error.map { ", error: \($0.code)" } ?? "") }
}

extension CKSyncEngine.Event.WillSendChanges: CustomStringConvertible {
    /// Why.
    public var description: String { "\(context.reason)" }
}

extension CKSyncEngine.Event.DidSendChanges: CustomStringConvertible {
    /// Why.
    public var description: String { "\(context.reason)" }
}
