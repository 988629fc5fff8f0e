import Foundation
import StratusCloudModel

/// What became of a modification of zones.
struct ModifyZonesOutcome: Sendable {
    var saves: ItemResults<CKRecordZone.ID, CKRecordZone> = []
    var deletions: ItemResults<CKRecordZone.ID, Void> = []
}

extension DatabaseClient {
    /// All zones of the database, the default zone among them.
    func allZones() async throws -> [CKRecordZone] {
        let names = try await names()
        let results = try await send(.listZones) { answer throws(CloudTransportError) in try answer.zones() }
        return results.compactMap { result in
            guard case .zone(let zone) = result, seesReservedZones || !zone.zoneID.isReserved else { return nil }
            return self.zone(zone, as: nil, names)
        }
    }

    /// Zones by name; one result for each, in order.
    func zones(for zoneIDs: [CKRecordZone.ID]) async throws -> ItemResults<CKRecordZone.ID, CKRecordZone> {
        try Self.checkCount(zoneIDs.count)
        guard !zoneIDs.isEmpty else { return [] }
        let names = try await names()
        let call = CloudCall.lookupZones(zoneIDs.map(names.zoneID))
        let results = try await send(call) { answer throws(CloudTransportError) in try answer.zones() }
        return zip(zoneIDs, results).map { zoneID, result in
            switch result {
            case .zone(let zone): (zoneID, .success(self.zone(zone, as: zoneID, names)))
            case .failed(_, let error): (zoneID, .failure(NSError.cloudKit(error)))
            case .deleted:
                (zoneID, .failure(NSError.cloudKit(.zoneNotFound, "Zone '\(zoneID.zoneName)' does not exist")))
            }
        }
    }

    /// Makes and deletes zones. A zone that is there already is made, too.
    func modifyZones(
        saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID]
    ) async throws -> ModifyZonesOutcome {
        try Self.checkCount(zones.count + zoneIDs.count)
        guard !zones.isEmpty || !zoneIDs.isEmpty else { return ModifyZonesOutcome() }
        try require(zones.isEmpty ? [.private, .shared] : [.private], "Zones cannot be made or deleted")
        let names = try await names()
        let operations =
            zones.map { ZoneOperation(.create, names.zoneID($0.zoneID), requestID: requestID) }
            + zoneIDs.map { ZoneOperation(.delete, names.zoneID($0), requestID: requestID) }
        let results = try await send(.modifyZones(operations)) { answer throws(CloudTransportError) in
            try answer.zones()
        }
        // A zone of the same name may have had keys that were given up with it.
        await connection.keyring.forget()
        guard results.count == operations.count else {
            throw NSError.cloudKit(.internalError, "The answer has another number of zones than the request.")
        }
        return ModifyZonesOutcome(
            saves: zip(zones.map(\.zoneID), results).map { zoneID, result in
                switch result {
                case .zone(let zone): (zoneID, .success(self.zone(zone, as: zoneID, names)))
                case .failed(_, let error): (zoneID, .failure(NSError.cloudKit(error)))
                case .deleted: (zoneID, .failure(NSError.cloudKit(.internalError, "The zone was deleted.")))
                }
            },
            deletions: zip(zoneIDs, results.dropFirst(zones.count)).map { zoneID, result in
                if case .failed(_, let error) = result {
                    (zoneID, .failure(NSError.cloudKit(error)))
                } else {
                    (zoneID, .success(()))
                }
            })
    }

    private func zone(_ zone: Zone, as zoneID: CKRecordZone.ID?, _ names: IdentityNames) -> CKRecordZone {
        let capabilities: CKRecordZone.Capabilities =
            if zone.zoneID.isDefault || scope == .public { [] } else if scope == .shared {
                [.fetchChanges, .atomic]
            } else {
                [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
            }
        return CKRecordZone(
            zoneID: zoneID ?? names.zoneID(zone.zoneID), capabilities: capabilities,
            share: zone.share.map { share in
                CKRecord.Reference(
                    recordID: CKRecord.ID(
                        recordName: share.recordName, zoneID: zoneID ?? names.zoneID(zone.zoneID)), action: .none)
            })
    }
}
