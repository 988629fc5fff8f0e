import Foundation

extension CKDatabase {
    /// What happened to a zone.
    public enum DatabaseChange {
        /// Something in the zone changed.
        public struct Modification: Hashable, Sendable {
            /// The zone.
            public let zoneID: CKRecordZone.ID

            /// Says that a zone changed.
            public init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }
        }

        /// The zone is gone.
        public struct Deletion: Hashable, Sendable {
            /// Why a zone is gone.
            public enum Reason: Hashable, Sendable {
                /// Somebody deleted it.
                case deleted
                /// The user removed the app's data.
                case purged
                /// The user's keys were reset, and the data with them: send it again.
                case encryptedDataReset
            }

            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// Why it is gone.
            public let reason: Reason

            /// Whether the user removed the app's data.
            @available(*, deprecated, message: "Use reason")
            public var purged: Bool { reason == .purged }

            /// Says that a zone is gone.
            public init(zoneID: CKRecordZone.ID, reason: Reason) {
                self.zoneID = zoneID
                self.reason = reason
            }
        }
    }

    /// What happened to a record.
    public enum RecordZoneChange {
        /// The record was saved.
        public struct Modification: Hashable, Sendable {
            /// The record as it is now.
            public let record: CKRecord

            /// Says that a record was saved.
            public init(record: CKRecord) { self.record = record }
        }

        /// The record is gone.
        public struct Deletion: Hashable, Sendable {
            /// Its name.
            public let recordID: CKRecord.ID
            /// The type that it had.
            public let recordType: CKRecord.RecordType

            /// Says that a record is gone.
            public init(recordID: CKRecord.ID, recordType: CKRecord.RecordType) {
                self.recordID = recordID
                self.recordType = recordType
            }
        }
    }
}
