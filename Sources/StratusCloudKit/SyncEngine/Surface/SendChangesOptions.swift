extension CKSyncEngine {
    /// What to send.
    public struct SendChangesOptions: Sendable {
        /// Changes to send.
        public enum Scope: Sendable {
            /// All.
            case all
            /// All but those in these zones.
            case allExcluding([CKRecordZone.ID])
            /// Those in these zones.
            case zoneIDs([CKRecordZone.ID])
            /// Those of these records.
            case recordIDs([CKRecord.ID])

            /// Whether changes of a record belong to it.
            public func contains(_ recordID: CKRecord.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
                case .recordIDs(let recordIDs): recordIDs.contains(recordID)
                }
            }

            /// Whether a change belongs to it.
            public func contains(_ pendingChange: PendingRecordZoneChange) -> Bool { contains(pendingChange.recordID) }

            /// Whether changes of a zone itself belong to it.
            func contains(zone zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
                case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
                }
            }
        }

        /// Changes to send. The delegate's batches are to keep to it; zones do.
        public var scope: Scope
        /// The group of the requests; its configuration's timeouts count.
        public var operationGroup: CKOperationGroup

        /// Says what to send.
        /// - Parameter operationGroup: nil for a new one.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }
    }

    /// One time that changes are sent.
    public struct SendChangesContext: Sendable {
        /// Why.
        public let reason: SyncReason
        /// What.
        public let options: SendChangesOptions
    }
}

extension CKSyncEngine.SendChangesOptions.Scope: CustomStringConvertible {
    /// For logs.
    public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zoneIDs): "allExcluding(\(zoneIDs.map(\.zoneName)))"
        case .zoneIDs(let zoneIDs): "zoneIDs(\(zoneIDs.map(\.zoneName)))"
        case .recordIDs(let recordIDs): "recordIDs(\(recordIDs.map(\.recordName)))"
        }
    }
}

extension CKSyncEngine.SendChangesOptions: CustomStringConvertible {
    /// For logs.
    public var description: String { "<SendChangesOptions: scope=\(scope)>" }
}

extension CKSyncEngine.SendChangesContext: CustomStringConvertible {
    /// For logs.
    public var description: String { "<SendChangesContext: reason=\(reason), options=\(options)>" }
}
