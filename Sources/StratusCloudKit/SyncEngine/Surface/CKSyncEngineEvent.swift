extension CKSyncEngine {
    /// What happens while an engine works.
    public enum Event: Sendable {
        /// The state changed: keep it.
        case stateUpdate(StateUpdate)
        /// Somebody signed in or out.
        case accountChange(AccountChange)
        /// Zones changed or are gone.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records changed or are gone.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Zones were sent.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// Records were sent.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// A fetch begins.
        case willFetchChanges(WillFetchChanges)
        /// The fetch of a zone begins.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// The fetch of a zone has ended.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// The fetch has ended.
        case didFetchChanges(DidFetchChanges)
        /// Sending begins.
        case willSendChanges(WillSendChanges)
        /// Sending has ended.
        case didSendChanges(DidSendChanges)
    }
}

extension CKSyncEngine.Event {
    /// The engine's state changed. What was fetched before is to be kept together with it.
    public struct StateUpdate: Sendable {
        /// To be given to the next engine.
        public let stateSerialization: CKSyncEngine.State.Serialization
    }

    /// Somebody else is signed in than before; nobody's pending changes are left.
    public struct AccountChange: Sendable {
        /// What happened since it was last known who is signed in.
        public enum ChangeType: Sendable {
            /// Somebody is signed in, and nobody was.
            case signIn(currentUser: CKRecord.ID)
            /// Nobody is signed in any more: delete what belongs to whoever was.
            case signOut(previousUser: CKRecord.ID)
            /// Another person is signed in: delete what belongs to whoever was.
            case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
        }

        /// What happened.
        public let changeType: ChangeType
    }

    /// A fetch begins. There is one ``DidFetchChanges`` for each.
    public struct WillFetchChanges: Sendable {
        /// Why, and what.
        public let context: CKSyncEngine.FetchChangesContext
    }

    /// The fetch of a zone's changes begins. There is one ``DidFetchRecordZoneChanges`` for each.
    public struct WillFetchRecordZoneChanges: Sendable {
        /// The zone.
        public let zoneID: CKRecordZone.ID
    }

    /// The fetch of a zone's changes has ended.
    public struct DidFetchRecordZoneChanges: Sendable {
        /// The zone.
        public let zoneID: CKRecordZone.ID
        /// Why not all was fetched.
        public let error: CKError?
    }

    /// A fetch has ended, successful or not.
    public struct DidFetchChanges: Sendable {
        /// Why, and what.
        public let context: CKSyncEngine.FetchChangesContext
        /// The reason why not all was fetched.
        package var error: (any Error)?
    }

    /// Sending begins. There is one ``DidSendChanges`` for each.
    public struct WillSendChanges: Sendable {
        /// Why, and what.
        public let context: CKSyncEngine.SendChangesContext
    }

    /// Sending has ended, successful or not.
    public struct DidSendChanges: Sendable {
        /// Why, and what.
        public let context: CKSyncEngine.SendChangesContext
    }
}
