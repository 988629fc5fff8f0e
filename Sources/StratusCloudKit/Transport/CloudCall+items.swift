import StratusCloudModel

// What a request is about, as the device that asks names it.
extension CloudCall {
    /// The records.
    package var recordIDs: [CKRecord.ID] {
        func ids(_ names: [String], _ zone: ZoneID?) -> [CKRecord.ID] {
            let zoneID = zone.map { $0.ownZoneID } ?? .default
            return names.map { CKRecord.ID(recordName: $0, zoneID: zoneID) }
        }
        return switch self {
        case .modifyRecords(let request): ids(request.operations.compactMap(\.record.recordName), request.zoneID)
        case .lookupRecords(let request): ids(request.items.map(\.recordName), request.zoneID)
        default: []
        }
    }

    /// The zones, and those that the records are in.
    package var zoneIDs: [CKRecordZone.ID] {
        switch self {
        case .modifyRecords(let request): [(request.zoneID ?? .default).ownZoneID]
        case .lookupRecords(let request): [(request.zoneID ?? .default).ownZoneID]
        case .queryRecords(let request): request.zoneID.map { [$0.ownZoneID] } ?? []
        case .zoneChanges(let requests): requests.map(\.zoneID.ownZoneID)
        case .lookupZones(let zones): zones.map(\.ownZoneID)
        case .modifyZones(let operations): operations.map(\.zoneID.ownZoneID)
        default: []
        }
    }

    /// The subscriptions.
    package var subscriptionIDs: [String] {
        switch self {
        case .lookupSubscriptions(let names): names
        case .modifySubscriptions(let operations): operations.compactMap(\.subscriptionID)
        default: []
        }
    }

    /// The items, as the errors of a partial failure are keyed.
    var itemIDs: [AnyHashable] {
        let (records, subscriptions) = (recordIDs, subscriptionIDs)
        if !records.isEmpty { return records }
        return subscriptions.isEmpty ? zoneIDs : subscriptions
    }
}

extension ZoneID {
    /// As a device names it that does not know who is signed in.
    fileprivate var ownZoneID: CKRecordZone.ID { IdentityNames(currentUser: nil).zoneID(self) }
}
