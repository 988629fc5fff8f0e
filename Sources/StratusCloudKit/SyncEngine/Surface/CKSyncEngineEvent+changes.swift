extension CKSyncEngine.Event {
    /// Zones that changed or are gone, of one page of the database's changes.
    public struct FetchedDatabaseChanges: Sendable {
        /// Zones that were made, or in which something changed.
        public let modifications: [CKDatabase.DatabaseChange.Modification]
        /// Zones that are gone, and why.
        public let deletions: [CKDatabase.DatabaseChange.Deletion]
    }

    /// Records that changed or are gone, of one page of a zone's changes. What this device has sent may be among them.
    public struct FetchedRecordZoneChanges: Sendable {
        /// Records as they are now.
        public let modifications: [CKDatabase.RecordZoneChange.Modification]
        /// Records that are gone.
        public let deletions: [CKDatabase.RecordZoneChange.Deletion]
    }

    /// What became of a batch of zones that was sent.
    public struct SentDatabaseChanges: Sendable {
        /// A zone that could not be saved.
        public struct FailedZoneSave: Sendable {
            /// The zone.
            public let zone: CKRecordZone
            /// Why.
            public let error: CKError
        }

        /// Zones that are saved.
        public let savedZones: [CKRecordZone]
        /// Zones that could not be saved.
        public let failedZoneSaves: [FailedZoneSave]
        /// Zones that are deleted.
        public let deletedZoneIDs: [CKRecordZone.ID]
        /// Zones that could not be deleted.
        public let failedZoneDeletes: [CKRecordZone.ID: CKError]
    }

    /// What became of a batch of records that was sent.
    ///
    /// What failed for a reason that passes stays pending. All else is up to the app: it may put the matter right and add
    /// the change again.
    public struct SentRecordZoneChanges: Sendable {
        /// A record that could not be saved.
        public struct FailedRecordSave: Sendable {
            /// As it was sent.
            public let record: CKRecord
            /// Why.
            public let error: CKError
        }

        /// Records that are saved, as the server has them now: keep their system fields.
        public let savedRecords: [CKRecord]
        /// Records that could not be saved.
        public let failedRecordSaves: [FailedRecordSave]
        /// Records that are deleted.
        public let deletedRecordIDs: [CKRecord.ID]
        /// Records that could not be deleted.
        public let failedRecordDeletes: [CKRecord.ID: CKError]
    }
}
