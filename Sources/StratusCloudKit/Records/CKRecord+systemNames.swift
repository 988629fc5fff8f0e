import Foundation
import StratusCompatibility

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of the records that describe users.
public let CKRecordTypeUserRecord = "Users"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of share records.
public let CKRecordTypeShare = "cloudkit.share"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of ``CKRecord/parent`` in predicates.
public let CKRecordParentKey = "___parent"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of ``CKRecord/share`` in predicates.
public let CKRecordShareKey = "___share"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the share record of a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

extension CKRecord {
    /// Record types with a meaning of their own.
    public enum SystemType {
        /// The type of the records that describe users.
        public static let userRecord = CKRecordTypeUserRecord
        /// The type of share records.
        public static let share = CKRecordTypeShare
    }

    /// The names of what every record has beside its values, for predicates and sort descriptors.
    public enum SystemFieldKey {
        /// ``CKRecord/recordID``
        public static let recordID = "___recordID"
        /// ``CKRecord/creationDate``
        public static let creationDate = "___createTime"
        /// ``CKRecord/modificationDate``
        public static let modificationDate = "___modTime"
        /// ``CKRecord/creatorUserRecordID``
        public static let creatorUserRecordID = "___createdBy"
        /// ``CKRecord/lastModifiedUserRecordID``
        public static let lastModifiedUserRecordID = "___modifiedBy"
        /// ``CKRecord/parent``
        public static let parent = CKRecordParentKey
        /// ``CKRecord/share``
        public static let share = CKRecordShareKey
    }
}

/// Lets predicates and sort descriptors read records that are here.
extension CKRecord: KeyValueReadable {}

/// What every record has beside its values, by the names that predicates use: the property's and the constant's.
enum SystemFieldName: String, CaseIterable, Sendable {
    case recordID = "___recordID"
    case creationDate = "___createTime"
    case modificationDate = "___modTime"
    case creatorUserRecordID = "___createdBy"
    case lastModifiedUserRecordID = "___modifiedBy"
    case parent = "___parent"
    case share = "___share"

    init?(anySpelling name: String) {
        if let field = Self(rawValue: name) { self = field; return }
        switch name {
        case "recordID", "recordName": self = .recordID
        case "creationDate": self = .creationDate
        case "modificationDate": self = .modificationDate
        case "creatorUserRecordID": self = .creatorUserRecordID
        case "lastModifiedUserRecordID": self = .lastModifiedUserRecordID
        case "parent": self = .parent
        case "share": self = .share
        default: return nil
        }
    }

    /// What a record has there.
    func value(of record: CKRecord) -> Any? {
        switch self {
        case .recordID: record.recordID
        case .creationDate: record.creationDate
        case .modificationDate: record.modificationDate
        case .creatorUserRecordID: record.creatorUserRecordID
        case .lastModifiedUserRecordID: record.lastModifiedUserRecordID
        case .parent: record.parent
        case .share: record.share
        }
    }
}
