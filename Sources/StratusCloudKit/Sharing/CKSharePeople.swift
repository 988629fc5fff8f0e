import Foundation

/// What shares say of people beside their participants: who asks for access, and who can not even do that.
///
/// `@unchecked Sendable`: nothing of it ever changes. A class that is not final cannot say so in a way that the compiler
/// checks.
public class CKSharePerson: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Who it is.
    public let userIdentity: CKUserIdentity

    required init(_ userIdentity: CKUserIdentity) { self.userIdentity = userIdentity }

    /// Archives hold it.
    public class var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public required convenience init?(coder: NSCoder) {
        guard let identity = coder.decoded(CKUserIdentity.self, "UserIdentity") else { return nil }
        self.init(identity)
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: "UserIdentity") }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it is the same person, said to be the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKSharePerson else { return false }
        return type(of: other) == type(of: self) && other.userIdentity == userIdentity
    }

    /// Of the person.
    public override var hash: Int { userIdentity.hash }
}

/// Somebody who asks for access to a share.
///
/// To let them in, fetch the participant with ``participantLookupInfo``, add it to the share, and save. A class of the top
/// level, because keyed archives cannot name nested ones; use it as ``CKShare/AccessRequester``.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKShareAccessRequester: CKSharePerson, @unchecked Sendable {
    /// Looks the person up as a participant.
    public var participantLookupInfo: CKUserIdentity.LookupInfo {
        userIdentity.userRecordID.map { CKUserIdentity.LookupInfo(userRecordID: $0) }
            ?? userIdentity.lookupInfo ?? CKUserIdentity.LookupInfo(emailAddress: "")
    }
}

/// Somebody who can neither come into a share nor ask to.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKShare/BlockedIdentity``.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKShareBlockedIdentity: CKSharePerson, @unchecked Sendable {}

extension CKUserIdentity {
    /// Whether both are the same person, as far as anybody can tell: by record, or by how they were looked up.
    func isSamePerson(as other: CKUserIdentity) -> Bool {
        if let own = userRecordID, let theirs = other.userRecordID { return own.recordName == theirs.recordName }
        if let own = lookupInfo, own == other.lookupInfo { return true }
        return lookupInfo?.userRecordID.map { $0.recordName == other.userRecordID?.recordName } ?? false
            || other.lookupInfo?.userRecordID.map { $0.recordName == userRecordID?.recordName } ?? false
    }
}
