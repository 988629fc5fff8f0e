import StratusCloudModel
import StratusCloudService

/// What people read of a share.
struct ShareWords {
    private static let titleField = "cloudkit.title"
    private static let typeField = "cloudkit.type"
    private static let thumbnailField = "cloudkit.thumbnailImageData"

    let link: ShareLink

    /// As the owner named it.
    var title: String {
        guard let title = text(Self.titleField) else {
            return link.rootRecordName == nil ? "A shared collection" : "A shared item"
        }
        return title
    }

    /// Whether the caller is offered to change a participant.
    func mayChange(_ participant: ShareParticipant) -> Bool {
        guard isManager, participant.role != .owner, participant.participantID != caller?.participantID else {
            return false
        }
        return link.role == .owner || participant.role != .administrator
    }

    /// Whether the caller decides who takes part.
    var isManager: Bool { link.role == .owner || link.role == .administrator }

    /// The caller's own part in the share.
    var caller: ShareParticipant? { link.share.shareDetails?.value.currentUserParticipant }

    /// What kind of thing it is, in the app's words.
    var type: String? { text(Self.typeField) }

    var owner: String { Self.name(link.owner) ?? Self.somebody }

    /// A person whose name is not known.
    static let somebody = "Somebody"

    /// As an address that a page may show; nil without, and for bytes that are no picture.
    var thumbnail: String? {
        guard case .scalar(.bytes(let bytes))? = link.share.fields[Self.thumbnailField]?.value,
            bytes.count <= ServerLimits.thumbnailSize, let type = Self.pictureType(bytes)
        else { return nil }
        return "data:\(type);base64,\(Base64.string(bytes))"
    }

    private func text(_ field: String) -> String? {
        guard case .scalar(.string(let text))? = link.share.fields[field]?.value,
            text.contains(where: { !$0.isWhitespace })
        else { return nil }
        return ShownText.cut(text, to: ServerLimits.shownTitle)
    }

    /// The picture formats that all browsers show, by how their files begin. None of them runs anything.
    private static func pictureType(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }

    /// Names, as far as they are known.
    static func name(_ identity: ShareIdentity) -> String? {
        let name = [identity.givenName, identity.familyName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    /// By which whoever invited them knows somebody.
    static func handle(_ identity: ShareIdentity) -> String? {
        switch identity.lookupInfo {
        case .emailAddress(let address)?: address
        case .phoneNumber(let number)?: number
        default: nil
        }
    }

    /// What a participant is called in a list.
    static func label(_ participant: ShareParticipant) -> String {
        if let name = name(participant.identity) ?? handle(participant.identity) { return name }
        if participant.acceptance == .invited { return "Somebody with a one-time link" }
        return participant.role == .publicUser ? "Somebody with the link" : somebody
    }

    /// What somebody may do, as the end of a sentence.
    static func deed(_ permission: SharePermission) -> String {
        switch permission {
        case .none: "do nothing"
        case .readOnly: "view it"
        case .readWrite: "view and change it"
        }
    }
}
