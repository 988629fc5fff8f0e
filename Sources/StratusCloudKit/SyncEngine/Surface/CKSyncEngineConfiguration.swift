extension CKSyncEngine {
    /// What an engine needs to know.
    public struct Configuration: Sendable {
        /// What to synchronize with: a private or a shared database.
        public var database: CKDatabase
        /// What the latest ``CKSyncEngine/Event/StateUpdate`` brought; nil to begin.
        public var stateSerialization: State.Serialization?
        /// Who is told of events and asked for records.
        public var delegate: any CKSyncEngineDelegate
        /// Whether the engine sends and fetches by itself. Without, nothing happens until it is told to.
        public var automaticallySync = true
        /// The database subscription to use, for apps that had one before; nil for one that is there, or the engine's own.
        public var subscriptionID: CKSubscription.ID?
        /// Whether the engine fetches zones that the service itself knows. Apps do not expect them.
        package var seesReservedZones = false
        /// Whether the bytes of assets come with the records that are fetched.
        package var fetchesAssets = true

        /// Puts together what an engine must know.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }
    }
}

extension CKSyncEngine.Configuration: CustomStringConvertible {
    /// For logs.
    public var description: String {
        "<Configuration: database=\(database), automaticallySync=\(automaticallySync), "
            + "hasState=\(stateSerialization != nil), subscriptionID=\(subscriptionID ?? "nil")>"
    }
}
