import StratusWorkers

extension CKSyncEngine {
    /// What an engine knows: what waits to be sent, how far changes were fetched, who is signed in.
    ///
    /// May be changed at any time, also while the delegate handles an event. Each change ends in an
    /// ``Event/StateUpdate``.
    public final class State: Sendable {
        /// What the app did.
        enum Change: Sendable {
            /// There is something more to send.
            case added
            /// There is less.
            case removed
        }

        private struct Contents: Sendable {
            var value: SyncState
            var revision = 0
            var reported = 0
        }

        private let contents: Lock<Contents>
        private let observer = Lock<(@Sendable (Change) -> Void)?>(nil)

        init(_ serialization: Serialization?) {
            contents = Lock(Contents(value: serialization?.state ?? SyncState()))
        }

        /// Changes of records that wait to be sent or are on their way, in the order in which they came.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] { read { $0.recordChanges.changes } }

        /// Zones that wait to be saved or deleted, in the order in which they came.
        public var pendingDatabaseChanges: [PendingDatabaseChange] { read { $0.databaseChanges.changes } }

        /// Whether the app keeps changes by itself that are to be sent. Setting it has the delegate asked for batches; it is
        /// reset when sending begins, and set again if that fails for a reason that passes.
        public var hasPendingUntrackedChanges: Bool {
            get { read { $0.hasUntrackedChanges || $0.isSendingUntrackedChanges } }
            set {
                let isChanged = write { state in
                    let isChanged =
                        state.hasUntrackedChanges != newValue || (!newValue && state.isSendingUntrackedChanges)
                    state.hasUntrackedChanges = newValue
                    if !newValue { state.isSendingUntrackedChanges = false }
                    return isChanged
                }
                if isChanged || newValue { tell(newValue ? .added : .removed) }
            }
        }

        /// Zones in which something changed that was not fetched.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { read { $0.zonesBehind } }

        /// Adds changes of records. Only the last change of each record is kept, in the place of the first.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            if write({ $0.recordChanges.add(pendingRecordZoneChanges) }) { tell(.added) }
        }

        /// Removes changes of records. One that is on its way is not stopped, but not sent again either.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            if write({ $0.recordChanges.remove(pendingRecordZoneChanges) }) { tell(.removed) }
        }

        /// Adds zones to save and delete. Only the last change of each zone is kept, in the place of the first.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            if write({ $0.databaseChanges.add(pendingDatabaseChanges) }) { tell(.added) }
        }

        /// Removes zones to save and delete.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            if write({ $0.databaseChanges.remove(pendingDatabaseChanges) }) { tell(.removed) }
        }

        // MARK: For the engine

        func onChange(_ observer: @escaping @Sendable (Change) -> Void) {
            self.observer.withLock { $0 = observer }
        }

        private func tell(_ change: Change) { observer.withLock { $0 }?(change) }

        func read<Value: Sendable>(_ body: @Sendable (SyncState) -> Value) -> Value {
            contents.withLock { body($0.value) }
        }

        /// Changes the state; what `body` says tells whether it did.
        @discardableResult
        func write(_ body: @Sendable (inout SyncState) -> Bool) -> Bool {
            contents.withLock { contents in
                guard body(&contents.value) else { return false }
                contents.revision += 1
                return true
            }
        }

        /// Changes the state for certain.
        func change(_ body: @Sendable (inout SyncState) -> Void) {
            write { state in
                body(&state)
                return true
            }
        }

        /// What is to be kept; nil if that was said already.
        func takeUnreported() -> Serialization? {
            contents.withLock { contents in
                guard contents.reported != contents.revision else { return nil }
                contents.reported = contents.revision
                return Serialization(contents.value)
            }
        }

        /// Whether there is something to be kept.
        var isUnreported: Bool { contents.withLock { $0.reported != $0.revision } }
    }
}
