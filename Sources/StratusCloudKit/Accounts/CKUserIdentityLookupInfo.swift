import Foundation
import StratusCloudModel

/// One word about a person to look for: an e-mail address, a phone number, or the identifier of the user record.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKUserIdentity/LookupInfo``.
public final class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
    private enum Word: Hashable, Sendable {
        case emailAddress(String)
        case phoneNumber(String)
        case userRecordID(CKRecord.ID)
    }

    private let word: Word

    /// Looks for an e-mail address.
    public init(emailAddress: String) { word = .emailAddress(emailAddress) }
    /// Looks for a phone number, international with a plus.
    public init(phoneNumber: String) { word = .phoneNumber(phoneNumber) }
    /// Looks for a user record.
    public init(userRecordID: CKRecord.ID) { word = .userRecordID(userRecordID) }

    /// Looks for each of some e-mail addresses.
    public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentityLookupInfo] {
        emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
    }
    /// Looks for each of some phone numbers.
    public class func lookupInfos(withPhoneNumbers phoneNumbers: [String]) -> [CKUserIdentityLookupInfo] {
        phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
    }
    /// Looks for each of some user records.
    public class func lookupInfos(with userRecordIDs: [CKRecord.ID]) -> [CKUserIdentityLookupInfo] {
        userRecordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
    }

    /// The e-mail address, if that is the word.
    public var emailAddress: String? { if case .emailAddress(let text) = word { text } else { nil } }
    /// The phone number, if that is the word.
    public var phoneNumber: String? { if case .phoneNumber(let text) = word { text } else { nil } }
    /// The user record, if that is the word.
    public var userRecordID: CKRecord.ID? { if case .userRecordID(let recordID) = word { recordID } else { nil } }

    convenience init?(_ lookup: UserLookup) {
        switch lookup {
        case .emailAddress(let text): self.init(emailAddress: text)
        case .phoneNumber(let text): self.init(phoneNumber: text)
        case .userRecordName(let name): self.init(userRecordID: CKRecord.ID(recordName: name))
        case .contactHash: return nil
        }
    }

    /// What is sent.
    func lookup(_ names: IdentityNames) -> UserLookup {
        switch word {
        case .emailAddress(let text): .emailAddress(text)
        case .phoneNumber(let text): .phoneNumber(text)
        case .userRecordID(let recordID):
            .userRecordName(
                recordID.recordName == CKCurrentUserDefaultName
                    ? names.currentUser ?? recordID.recordName : recordID.recordName)
        }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive, of the SDK's or Apple's; nil if it is not whole.
    public init?(coder: NSCoder) {
        if let text = coder.decoded(NSString.self, "EmailAddress") as String? {
            word = .emailAddress(text)
        } else if let text = coder.decoded(NSString.self, "PhoneNumber") as String? {
            word = .phoneNumber(text)
        } else if let recordID = coder.decoded(CKRecordID.self, "UserRecordID")
            ?? coder.decoded(CKRecordID.self, "RecordID")
        {
            word = .userRecordID(recordID)
        } else {
            return nil
        }
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(emailAddress as NSString?, forKey: "EmailAddress")
        coder.encode(phoneNumber as NSString?, forKey: "PhoneNumber")
        coder.encode(userRecordID, forKey: "UserRecordID")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether the words are equal.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKUserIdentityLookupInfo)?.word == word }
    /// Of the word.
    public override var hash: Int { word.hashValue }
}
