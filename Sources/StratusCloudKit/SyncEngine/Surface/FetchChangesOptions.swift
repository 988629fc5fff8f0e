extension CKSyncEngine {
    /// What to fetch.
    public struct FetchChangesOptions: Sendable {
        /// Zones to fetch.
        public enum Scope: Sendable {
            /// Every zone that changed.
            case all
            /// Every zone that changed, but for these.
            case allExcluding([CKRecordZone.ID])
            /// These, if they changed.
            case zoneIDs([CKRecordZone.ID])

            /// Whether a zone belongs to it.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
                }
            }
        }

        /// Zones to fetch.
        public var scope: Scope
        /// The group of the requests; its configuration's timeouts count.
        public var operationGroup: CKOperationGroup
        /// Zones to fetch before all others, in this order, if they changed.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// Says what to fetch.
        /// - Parameter operationGroup: nil for a new one.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }
    }

    /// One fetch.
    public struct FetchChangesContext: Sendable {
        /// Why.
        public let reason: SyncReason
        /// What.
        public let options: FetchChangesOptions
    }
}

extension CKSyncEngine.FetchChangesOptions.Scope: CustomStringConvertible {
    /// For logs.
    public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zoneIDs): "allExcluding(\(zoneIDs.map(\.zoneName)))"
        case .zoneIDs(let zoneIDs): "zoneIDs(\(zoneIDs.map(\.zoneName)))"
        }
    }
}

extension CKSyncEngine.FetchChangesOptions: CustomStringConvertible {
    /// For logs.
    public var description: String {
        "<FetchChangesOptions: scope=\(scope), prioritizedZoneIDs=\(prioritizedZoneIDs.map(\.zoneName))>"
    }
}

extension CKSyncEngine.FetchChangesContext: CustomStringConvertible {
    /// For logs.
    public var description: String { "<FetchChangesContext: reason=\(reason), options=\(options)>" }
}
