extension CKSyncEngine.State.Serialization {
    /// How far the changes of a zone were fetched.
    package struct ZoneProgress: Sendable {
        /// The zone.
        package let zoneID: CKRecordZone.ID
        /// The token of the last page; nil before the first one.
        package let token: String?
        /// Whether there are changes that were not fetched.
        package let isBehind: Bool
    }

    /// The token of the changes of the database; nil before the first ones.
    package var databaseToken: String? { state.databaseToken }

    /// The progress in all zones that the server has named, by their names.
    package var zones: [ZoneProgress] {
        state.zones.map { ZoneProgress(zoneID: $0, token: $1.token, isBehind: $1.isBehind) }.sorted {
            ($0.zoneID.zoneName, $0.zoneID.ownerName) < ($1.zoneID.zoneName, $1.zoneID.ownerName)
        }
    }
}
