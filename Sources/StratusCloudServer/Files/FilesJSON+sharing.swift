import StratusCloudModel
import StratusCloudService

extension ConsoleJSON {
    /// An item that another person shares with the caller.
    init(_ file: SharedFile) {
        self = .object(
            Self.members(of: file.item) + [
                ("owner", .string(file.ownerRecordName)),
                ("ownerName", .string(ShareWords.name(file.owner) ?? ShareWords.somebody)),
                ("permission", .string(file.permission.rawValue)),
            ])
    }

    /// A share. The caller sees all of its participants if they decide who takes part, otherwise only its owner and
    /// themselves.
    init(_ link: ShareLink, base: String, sendsMail: Bool) {
        let words = ShareWords(link: link)
        let details = link.share.shareDetails?.value
        // One-time links belong to nobody yet; the page of the share shows them.
        let participants = (details?.participants ?? []).filter { $0.oneTimeShortGUID == nil }
        self = [
            "link": .string("\(base)/share/\(PercentEncoding.encode(link.request.shortGUID))"),
            "isOwner": .boolean(link.role == .owner), "isManager": .boolean(words.isManager),
            "owner": .string(words.owner), "permission": .string(link.permission.rawValue),
            "access": .string((details?.publicPermission ?? .none).rawValue), "sendsMail": .boolean(sendsMail),
            "participants": .array(
                participants.map { participant in
                    [
                        "id": .string(participant.participantID), "name": .string(ShareWords.label(participant)),
                        "address": ConsoleJSON(ShareWords.handle(participant.identity)),
                        "role": .string(participant.role.rawValue),
                        "permission": .string(participant.permission.rawValue),
                        "hasJoined": .boolean(participant.acceptance == .accepted),
                        "isYou": .boolean(participant.participantID == words.caller?.participantID),
                        "mayChange": .boolean(words.mayChange(participant)),
                    ]
                }),
        ]
    }

    /// A published file.
    init(_ file: PublishedFile) {
        self = [
            "id": .string(file.id), "name": .string(file.name), "size": .integer(file.size),
            "created": .integer(file.created), "expires": .integer(file.expires), "url": ConsoleJSON(file.url),
        ]
    }
}
