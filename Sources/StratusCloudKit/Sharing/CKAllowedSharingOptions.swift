import Foundation
import StratusWorkers

/// What people may choose between when they share something, for a program's own sharing page.
public final class CKAllowedSharingOptions: NSObject, NSSecureCoding, NSCopying, Sendable {
    private struct Values: Sendable {
        var permission: CKSharingParticipantPermissionOption
        var access: CKSharingParticipantAccessOption
        var allowsInvitations = false
        var allowsAccessRequests = false
    }

    private let values: Lock<Values>

    /// Says what may be chosen.
    public init(
        allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
        allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    ) {
        values = Lock(
            Values(permission: allowedParticipantPermissionOptions, access: allowedParticipantAccessOptions))
    }

    /// Everything may be chosen.
    public class var standard: CKAllowedSharingOptions {
        CKAllowedSharingOptions(allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
    }

    /// What participants may be allowed to do.
    public var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption {
        get { values.withLock { $0.permission } }
        set { values.withLock { $0.permission = newValue } }
    }

    /// Who may come in.
    public var allowedParticipantAccessOptions: CKSharingParticipantAccessOption {
        get { values.withLock { $0.access } }
        set { values.withLock { $0.access = newValue } }
    }

    /// Whether participants may be made administrators, who invite others.
    public var allowsParticipantsToInviteOthers: Bool {
        get { values.withLock { $0.allowsInvitations } }
        set { values.withLock { $0.allowsInvitations = newValue } }
    }

    /// Whether others may be let ask for access.
    public var allowsAccessRequests: Bool {
        get { values.withLock { $0.allowsAccessRequests } }
        set { values.withLock { $0.allowsAccessRequests = newValue } }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive.
    public convenience init?(coder: NSCoder) {
        func bits(_ key: String) -> UInt { UInt(max(0, coder.decodeInt64(forKey: key))) }
        self.init(
            allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption(rawValue: bits("Permission")),
            allowedParticipantAccessOptions: CKSharingParticipantAccessOption(rawValue: bits("Access")))
        allowsParticipantsToInviteOthers = coder.decodeBool(forKey: "AllowsParticipantsToInviteOthers")
        allowsAccessRequests = coder.decodeBool(forKey: "AllowsAccessRequests")
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        let values = values.withLock { $0 }
        coder.encode(Int64(values.permission.rawValue), forKey: "Permission")
        coder.encode(Int64(values.access.rawValue), forKey: "Access")
        coder.encode(values.allowsInvitations, forKey: "AllowsParticipantsToInviteOthers")
        coder.encode(values.allowsAccessRequests, forKey: "AllowsAccessRequests")
    }

    /// Options of their own that say the same.
    public func copy(with zone: NSZone? = nil) -> Any {
        let values = values.withLock { $0 }
        let copy = CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: values.permission, allowedParticipantAccessOptions: values.access)
        copy.allowsParticipantsToInviteOthers = values.allowsInvitations
        copy.allowsAccessRequests = values.allowsAccessRequests
        return copy
    }
}

/// What participants may be allowed to do.
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Takes the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// To see.
    public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1)
    /// To see and change.
    public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

/// Who may come into a share.
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Takes the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Whoever has the link.
    public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1)
    /// Whoever is invited.
    public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantAccessOption = [.anyoneWithLink, .specifiedRecipientsOnly]
}
