import Foundation
import StratusCloudModel

/// A person as a container's users see each other.
public final class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// One word about a person to look for.
    public typealias LookupInfo = CKUserIdentityLookupInfo

    /// How the person was found.
    public let lookupInfo: LookupInfo?
    /// The name, if the person lets itself be found in this container.
    public let nameComponents: PersonNameComponents?
    /// The identifier of the person's user record.
    public let userRecordID: CKRecord.ID?
    /// Cards of the address book; there is none here.
    public let contactIdentifiers: [String]
    /// Whether the person has an account.
    public let hasiCloudAccount: Bool

    init(
        lookupInfo: LookupInfo?, nameComponents: PersonNameComponents?, userRecordID: CKRecord.ID?,
        hasAccount: Bool? = nil
    ) {
        self.lookupInfo = lookupInfo
        self.nameComponents = nameComponents
        self.userRecordID = userRecordID
        contactIdentifiers = []
        hasiCloudAccount = hasAccount ?? (userRecordID != nil)
    }

    convenience init(_ user: UserIdentity, _ names: IdentityNames) {
        self.init(
            lookupInfo: user.lookupInfo.flatMap { LookupInfo($0) },
            nameComponents: PersonNameComponents(given: user.givenName, family: user.familyName),
            userRecordID: CKRecord.ID(recordName: user.userRecordName))
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive, of the SDK's or Apple's; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        func text(_ key: String) -> String? { coder.decoded(NSString.self, key) as String? }
        var components = ArchivedPersonName.decoded(coder, "NameComponents")
        if coder.decodeBool(forKey: "HasName") {
            components = PersonNameComponents(archived: text)
        }
        let lookupInfo = coder.decoded(CKUserIdentityLookupInfo.self, "LookupInfo")
        let userRecordID = coder.decoded(CKRecordID.self, "UserRecordID")
        guard !coder.hasFailed else { return nil }
        let accountKey = "HasICloudAccount"
        self.init(
            lookupInfo: lookupInfo, nameComponents: components, userRecordID: userRecordID,
            hasAccount: coder.containsValue(forKey: accountKey) ? coder.decodeBool(forKey: accountKey) : nil)
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(lookupInfo, forKey: "LookupInfo")
        coder.encode(nameComponents != nil, forKey: "HasName")
        for (name, part) in nameComponents?.archivedParts ?? [] { coder.encode(part as NSString?, forKey: name) }
        coder.encode(userRecordID, forKey: "UserRecordID")
        coder.encode(hasiCloudAccount, forKey: "HasICloudAccount")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it is the same person, found the same way.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentity else { return false }
        return other.userRecordID == userRecordID && other.lookupInfo == lookupInfo
    }

    /// Of the person.
    public override var hash: Int { userRecordID?.hash ?? lookupInfo?.hash ?? 0 }
}
