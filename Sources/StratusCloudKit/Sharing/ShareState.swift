import Foundation
import StratusCloudModel

/// What a share says beside its fields.
struct ShareState: Sendable {
    /// The part of it that can be changed and saved.
    struct Content: Equatable, Sendable {
        var publicPermission = CKShare.ParticipantPermission.none
        /// The owner's entry is never sent.
        var participants: [CKShareParticipant.Values] = []
        var allowsAccessRequests = false
        var requesters: [CKShareAccessRequester] = []
        var blocked: [CKShareBlockedIdentity] = []

        /// Whether somebody owns it.
        var hasOwner: Bool { participants.contains { $0.role == .owner } }
    }

    /// The record to be shared, of a share that the server does not know.
    var rootRecordID: CKRecord.ID?
    var publicPermission = CKShare.ParticipantPermission.none
    /// The owner, and those whom the current user may see. Objects that programs hold.
    var participants: [CKShareParticipant]
    /// The name of the current user's entry.
    var currentUserID: CKShareParticipant.ID?
    var allowsAccessRequests = false
    var requesters: [CKShareAccessRequester] = []
    var blocked: [CKShareBlockedIdentity] = []
    /// What the share's link is made of.
    var url: URL?
    /// What makes the addresses of one-time links.
    var links = ShareLinks()
    /// What stands behind the `#` of one-time links, by what these are made of; of one's own shares.
    var oneTimeSecrets: [String: LinkSecret] = [:]
    /// As the server has it; nil for a share that it does not know.
    var base: Content?

    /// A new share of the current user.
    init(rootRecordID: CKRecord.ID? = nil) {
        self.rootRecordID = rootRecordID
        let owner = CKUserIdentity(
            lookupInfo: nil, nameComponents: nil, userRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName))
        currentUserID = CKCurrentUserDefaultName
        participants = [
            CKShareParticipant(
                CKShareParticipant.Values(
                    participantID: CKCurrentUserDefaultName, identity: owner, role: .owner, permission: .readWrite,
                    acceptance: .accepted))
        ]
    }

    /// With what the server says.
    init(_ content: Content, currentUserID: CKShareParticipant.ID?, url: URL?, links: ShareLinks) {
        publicPermission = content.publicPermission
        participants = content.participants.map { CKShareParticipant($0) }
        self.currentUserID = currentUserID
        allowsAccessRequests = content.allowsAccessRequests
        requesters = content.requesters
        blocked = content.blocked
        self.url = url
        self.links = links
        base = content
    }

    var content: Content {
        Content(
            publicPermission: publicPermission, participants: participants.map(\.values),
            allowsAccessRequests: allowsAccessRequests, requesters: requesters, blocked: blocked)
    }

    /// Whether there is something to save.
    var isChanged: Bool { content != base }

    var currentUser: CKShareParticipant? {
        currentUserID.flatMap { id in participants.first { $0.participantID == id } }
    }

    /// Takes over what the links need for encrypted values.
    mutating func adopt(_ secrets: ShareSecrets) {
        oneTimeSecrets = secrets.oneTime
        guard let text = url?.absoluteString.split(separator: "#").first else { return }
        url = URL(string: text + "#" + secrets.link.fragment)
    }

    /// One whose participants are objects of their own.
    var copy: ShareState {
        var copy = self
        copy.participants = participants.map { CKShareParticipant($0.values) }
        return copy
    }

    /// As the server had it: the ancestor in a conflict.
    var ancestor: ShareState {
        base.map { base in
            var state = ShareState(base, currentUserID: currentUserID, url: url, links: links)
            state.oneTimeSecrets = oneTimeSecrets
            return state
        }
            ?? ShareState(rootRecordID: rootRecordID)
    }

    // MARK: After a save

    /// Takes over what the server says after a save.
    /// - Parameter sent: what was saved; what was changed since stays to be saved.
    mutating func acknowledge(_ fresh: ShareState, sent: Content) {
        let isUnchanged = content == sent
        let known = fresh.participants.map(\.values)
        var open = known
        var pairs: [(CKShareParticipant, CKShareParticipant.Values)] = []
        /// Finds entries by one way of telling, after all that a better way told.
        func pair(_ isMatch: (CKShareParticipant.Values, CKShareParticipant.Values) -> Bool) {
            for participant in participants where !pairs.contains(where: { $0.0 === participant }) {
                let values = participant.values
                guard let index = open.firstIndex(where: { isMatch(values, $0) }) else { continue }
                pairs.append((participant, open.remove(at: index)))
            }
        }
        pair { $0.participantID == $1.participantID || ($0.role == .owner && $1.role == .owner) }
        pair { !$0.isKnown && $0.identity.isSamePerson(as: $1.identity) }
        // Those with one-time links have no names yet; the server answers in the order in which they were sent.
        pair { !$0.isKnown && $0.identity.isNobody && $1.oneTimeShortGUID != nil }
        for (participant, values) in pairs { participant.adopt(values, keepingChanges: !isUnchanged) }
        rootRecordID = nil
        // The same link without its secret is no news.
        if let fresh = fresh.url, url.map({ !$0.absoluteString.hasPrefix(fresh.absoluteString) }) ?? true {
            url = fresh
        }
        (links, base, currentUserID) = (fresh.links, fresh.base, fresh.currentUserID)
        guard isUnchanged else { return }
        participants = known.map { values in
            pairs.first { $0.1.participantID == values.participantID }?.0 ?? CKShareParticipant(values)
        }
        publicPermission = fresh.publicPermission
        (allowsAccessRequests, requesters, blocked) = (fresh.allowsAccessRequests, fresh.requesters, fresh.blocked)
    }
}

extension CKUserIdentity {
    /// Whether nothing is known of the person.
    var isNobody: Bool { lookupInfo == nil && userRecordID == nil }
}
