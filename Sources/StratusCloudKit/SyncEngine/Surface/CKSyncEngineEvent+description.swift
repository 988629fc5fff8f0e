extension CKSyncEngine.Event: CustomStringConvertible {
    /// For logs: what happened, and numbers; no values.
    public var description: String {
        switch self {
        case .stateUpdate: "stateUpdate"
        case .accountChange(let event): "accountChange(\(event.changeType))"
        case .fetchedDatabaseChanges(let event):
            "fetchedDatabaseChanges(modifications: \(event.modifications.count), deletions: \(event.deletions.count))"
        case .fetchedRecordZoneChanges(let event):
            "fetchedRecordZoneChanges(modifications: \(event.modifications.count), deletions: \(event.deletions.count))"
        case .sentDatabaseChanges(let event):
            "sentDatabaseChanges(saved: \(event.savedZones.count), failedSaves: \(event.failedZoneSaves.count), "
                + "deleted: \(event.deletedZoneIDs.count), failedDeletes: \(event.failedZoneDeletes.count))"
        case .sentRecordZoneChanges(let event):
            "sentRecordZoneChanges(saved: \(event.savedRecords.count), failedSaves: \(event.failedRecordSaves.count), "
                + "deleted: \(event.deletedRecordIDs.count), failedDeletes: \(event.failedRecordDeletes.count))"
        case .willFetchChanges(let event): "willFetchChanges(\(event.context.reason))"
        case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges(\(event.zoneID.zoneName))"
        case .didFetchRecordZoneChanges(let event):
            "didFetchRecordZoneChanges(\(event.zoneID.zoneName)"
                + (event.error.map { ", error: \($0.code)" } ?? "") + ")"
        case .didFetchChanges(let event): "didFetchChanges(\(event.context.reason))"
        case .willSendChanges(let event): "willSendChanges(\(event.context.reason))"
        case .didSendChanges(let event): "didSendChanges(\(event.context.reason))"
        }
    }
}
