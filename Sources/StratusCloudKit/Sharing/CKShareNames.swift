import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field of a share that holds its title.
public let CKShareTitleKey = "cloudkit.title"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field of a share that holds a picture of what is shared, as PNG or JPEG.
public let CKShareThumbnailImageDataKey = "cloudkit.thumbnailImageData"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field of a share that says what kind of thing is shared, as a uniform type identifier.
public let CKShareTypeKey = "cloudkit.type"

extension CKShare {
    /// The fields that every share may have.
    public enum SystemFieldKey {
        /// The title.
        public static let title = CKShareTitleKey
        /// A picture of what is shared, as PNG or JPEG.
        public static let thumbnailImageData = CKShareThumbnailImageDataKey
        /// What kind of thing is shared, as a uniform type identifier.
        public static let shareType = CKShareTypeKey
    }

    /// How far somebody came into a share.
    public enum ParticipantAcceptanceStatus: Int, Sendable {
        /// Not known here.
        case unknown = 0
        /// Invited, and not come yet.
        case pending = 1
        /// Takes part.
        case accepted = 2
        /// Takes part no more.
        case removed = 3
    }

    /// What somebody may do with what is shared.
    public enum ParticipantPermission: Int, Sendable {
        /// Not known here.
        case unknown = 0
        /// Nothing; of a share, to those who come with the link alone.
        case none = 1
        /// See it.
        case readOnly = 2
        /// See it, change it, add to it and delete of it.
        case readWrite = 3
    }

    /// As what somebody takes part.
    public enum ParticipantRole: Int, Sendable {
        /// Not known here.
        case unknown = 0
        /// The records are theirs.
        case owner = 1
        /// Invited, and may change the share as its owner does.
        case administrator = 2
        /// Invited.
        case privateUser = 3
        /// Came with the link of a share that is open to everybody.
        case publicUser = 4
    }

    /// The older ``ParticipantRole``.
    public enum ParticipantType: Int, Sendable {
        /// Not known here.
        case unknown = 0
        /// The records are theirs.
        case owner = 1
        /// Invited.
        case privateUser = 3
        /// Came with the link of a share that is open to everybody.
        case publicUser = 4
    }

    /// Somebody who takes part in a share, or is invited to.
    public typealias Participant = CKShareParticipant
    /// What a share's link leads to.
    public typealias Metadata = CKShareMetadata
    /// Somebody who asks for access to a share.
    public typealias AccessRequester = CKShareAccessRequester
    /// Somebody who can neither come into a share nor ask to.
    public typealias BlockedIdentity = CKShareBlockedIdentity
}

extension CKShareParticipant {
    /// Names a participant in its share.
    public typealias ID = String
    /// How far somebody came into a share.
    public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
    /// What somebody may do with what is shared.
    public typealias Permission = CKShare.ParticipantPermission
    /// As what somebody takes part.
    public typealias Role = CKShare.ParticipantRole
    /// The older ``Role``.
    public typealias ParticipantType = CKShare.ParticipantType
}

// What Swift 4 called them.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKShare/ParticipantAcceptanceStatus``.
@available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKShare/ParticipantPermission``.
@available(*, deprecated, renamed: "CKShare.ParticipantPermission")
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKShare/ParticipantRole``.
@available(*, deprecated, renamed: "CKShare.ParticipantRole")
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKShare/ParticipantType``.
@available(*, deprecated, renamed: "CKShare.ParticipantType")
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType
