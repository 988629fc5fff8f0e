extension CKSyncEngine {
    /// Records that are sent together.
    public struct RecordZoneChangeBatch: Sendable {
        /// To be saved.
        public var recordsToSave: [CKRecord]
        /// To be deleted.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether the changes of each zone are made all together or not at all. Where one fails, the others fail with
        /// `CKError.batchRequestFailed`.
        public var atomicByZone: Bool

        /// The change tags of records to be deleted that must not have changed; others are deleted whatever they are.
        package var changeTagsOfDeletions: [CKRecord.ID: String] = [:]

        /// A batch of the app's own choice, which is to keep to the limits of a request: else it fails with
        /// `CKError.limitExceeded`.
        public init(recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// The first of the changes, as many as one request may hold: 250, and 2 MiB of values without assets. A record that is
        /// larger by itself comes alone.
        /// - Parameters:
        ///   - pendingChanges: in the order in which they are taken. Of a record that is named twice, the first change is taken.
        ///   - recordProvider: gives a record that is to be saved; nil passes over the change, which stays pending. A record
        ///     that no longer fits is asked for again with the next batch.
        /// - Returns: nil if there is nothing to send.
        public init?(
            pendingChanges: [PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            var seen: Set<CKRecord.ID> = []
            var size = 0
            for change in pendingChanges where seen.insert(change.recordID).inserted {
                guard recordsToSave.count + recordIDsToDelete.count < SyncLimits.changesPerBatch else { break }
                switch change {
                case .deleteRecord(let recordID): recordIDsToDelete.append(recordID)
                case .saveRecord(let recordID):
                    guard let record = await recordProvider(recordID) else { continue }
                    size += PendingSave(record, .ifServerRecordUnchanged).size
                    if size > SyncLimits.batchSize, !isEmpty { return }
                    recordsToSave.append(record)
                }
            }
            if isEmpty { return nil }
        }

        var isEmpty: Bool { recordsToSave.isEmpty && recordIDsToDelete.isEmpty }
    }
}

extension CKSyncEngine.RecordZoneChangeBatch: CustomStringConvertible {
    /// For logs.
    public var description: String {
        "<RecordZoneChangeBatch: recordsToSave=\(recordsToSave.count), recordIDsToDelete=\(recordIDsToDelete.count), "
            + "atomicByZone=\(atomicByZone)>"
    }
}
