import CloudKit

/// Which event may follow which.
struct EventOrder {
    private enum Phase: Equatable { case idle, sending, fetching, fetchingZone(CKRecordZone.ID) }

    private var phase = Phase.idle

    /// Whether a send or a fetch has begun and not ended.
    var isIdle: Bool { phase == .idle }

    /// - Returns: false if the event cannot come now.
    mutating func take(_ event: CKSyncEngine.Event) -> Bool {
        switch (event, phase) {
        case (.stateUpdate, _), (.accountChange, .idle): return true
        case (.willSendChanges, .idle): phase = .sending
        case (.sentDatabaseChanges, .sending), (.sentRecordZoneChanges, .sending): return true
        case (.didSendChanges, .sending): phase = .idle
        case (.willFetchChanges, .idle): phase = .fetching
        case (.fetchedDatabaseChanges, .fetching): return true
        case (.willFetchRecordZoneChanges(let event), .fetching): phase = .fetchingZone(event.zoneID)
        // The zone's token has expired.
        case (.fetchedDatabaseChanges(let event), .fetchingZone(let zoneID)):
            return event.modifications.map(\.zoneID) + event.deletions.map(\.zoneID) == [zoneID]
        case (.fetchedRecordZoneChanges(let event), .fetchingZone(let zoneID)):
            return event.modifications.allSatisfy { $0.record.recordID.zoneID == zoneID }
                && event.deletions.allSatisfy { $0.recordID.zoneID == zoneID }
        case (.didFetchRecordZoneChanges(let event), .fetchingZone(let zoneID)) where event.zoneID == zoneID:
            phase = .fetching
        case (.didFetchChanges, .fetching): phase = .idle
        default: return false
        }
        return true
    }
}
