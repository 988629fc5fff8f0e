import Foundation
import StratusCloudModel
import StratusCompatibility

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of the records that describe users.
public let CKRecordTypeUserRecord = SystemRecordType.users
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of share records.
public let CKRecordTypeShare = SystemRecordType.share
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of ``CKRecord/parent`` in predicates.
public let CKRecordParentKey = SystemField.parent.rawValue
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of ``CKRecord/share`` in predicates.
public let CKRecordShareKey = SystemField.share.rawValue
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
        public static let recordID = SystemField.recordName.rawValue
        /// ``CKRecord/creationDate``
        public static let creationDate = SystemField.createdTimestamp.rawValue
        /// ``CKRecord/modificationDate``
        public static let modificationDate = SystemField.modifiedTimestamp.rawValue
        /// ``CKRecord/creatorUserRecordID``
        public static let creatorUserRecordID = SystemField.createdUserRecordName.rawValue
        /// ``CKRecord/lastModifiedUserRecordID``
        public static let lastModifiedUserRecordID = SystemField.modifiedUserRecordName.rawValue
        /// ``CKRecord/parent``
        public static let parent = CKRecordParentKey
        /// ``CKRecord/share``
        public static let share = CKRecordShareKey
    }
}

/// Lets predicates and sort descriptors read records that are here.
extension CKRecord: KeyValueReadable {}

extension SystemField {
    /// By the name that predicates use: the constant's, or the property's.
    init?(key: String) {
        if let field = Self(rawValue: key) { self = field; return }
        switch key {
        case "recordID", "recordName": self = .recordName
        case "creationDate": self = .createdTimestamp
        case "modificationDate": self = .modifiedTimestamp
        case "creatorUserRecordID": self = .createdUserRecordName
        case "lastModifiedUserRecordID": self = .modifiedUserRecordName
        case "parent": self = .parent
        case "share": self = .share
        default: return nil
        }
    }

    /// What a record has there.
    func value(of record: CKRecord) -> Any? {
        switch self {
        case .recordName: record.recordID
        case .createdTimestamp: record.creationDate
        case .modifiedTimestamp: record.modificationDate
        case .createdUserRecordName: record.creatorUserRecordID
        case .modifiedUserRecordName: record.lastModifiedUserRecordID
        case .parent: record.parent
        case .share: record.share
        }
    }
}
