import Foundation

/// Names in archives.
private enum ArchiveKey {
    static let share = "StratusShare"
    static let root = "RootRecordID"
    static let publicPermission = "PublicPermission"
    static let participants = "Participants"
    static let currentUser = "CurrentUserParticipantID"
    static let allowsAccessRequests = "AllowsAccessRequests"
    static let requesters = "Requesters"
    static let blocked = "BlockedIdentities"
    static let url = "URL"
    static let links = "LinkBase"
    static let oneTimeSecrets = "OneTimeSecrets"
    static let base = "Known"
    /// Apple's: the participants as the server has them.
    static let fetchedParticipants = "LastFetchedParticipants"
    static let isKnown = "KnownToServer"
}

extension ShareState {
    /// Writes it among the system fields of its record.
    func encode(with coder: NSCoder) {
        coder.encode(true, forKey: ArchiveKey.share)
        coder.encode(rootRecordID, forKey: ArchiveKey.root)
        coder.encode(currentUserID as NSString?, forKey: ArchiveKey.currentUser)
        coder.encode(url?.absoluteString as NSString?, forKey: ArchiveKey.url)
        coder.encode(links.base as NSString, forKey: ArchiveKey.links)
        let secrets = oneTimeSecrets.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.fragment] }
        coder.encode(list: secrets.map { $0 as NSString }, forKey: ArchiveKey.oneTimeSecrets)
        content.encode(with: coder, "")
        coder.encode(base != nil, forKey: ArchiveKey.base)
        base?.encode(with: coder, ArchiveKey.base)
    }

    /// Nil where there is none, or one without an owner.
    init?(coder: NSCoder) {
        guard coder.containsValue(forKey: ArchiveKey.participants) else { return nil }
        guard coder.containsValue(forKey: ArchiveKey.share) else {
            self.init(ofApple: coder)
            return
        }
        guard let content = Content(coder: coder, ""), content.hasOwner else { return nil }
        let links = (coder.decoded(NSString.self, ArchiveKey.links) as String?).map { ShareLinks(base: $0) }
        self.init(
            content, currentUserID: coder.decoded(NSString.self, ArchiveKey.currentUser) as String?,
            url: (coder.decoded(NSString.self, ArchiveKey.url) as String?).flatMap { URL(string: $0) },
            links: links ?? ShareLinks())
        let secrets: [NSString] = coder.decodedList([NSString.self], ArchiveKey.oneTimeSecrets) ?? []
        for index in stride(from: 0, to: secrets.count - 1, by: 2) {
            oneTimeSecrets[secrets[index] as String] = LinkSecret(fragment: secrets[index + 1] as String)
        }
        rootRecordID = coder.decoded(CKRecordID.self, ArchiveKey.root)
        base = coder.decodeBool(forKey: ArchiveKey.base) ? Content(coder: coder, ArchiveKey.base) : nil
    }
}

extension ShareState {
    /// Reads what Apple's systems write of a share of iCloud: who takes part, and what they may do.
    private init?(ofApple coder: NSCoder) {
        guard var content = ShareState.Content(coder: coder, ""), content.hasOwner,
            let participants: [CKShareParticipant] = coder.decodedList(
                [CKShareParticipant.self], ArchiveKey.participants)
        else { return nil }
        var known: [CKShareParticipant.Values] = []
        if coder.decodeBool(forKey: ArchiveKey.isKnown) {
            let fetched: [CKShareParticipant]? = coder.decodedList(
                [CKShareParticipant.self], ArchiveKey.fetchedParticipants)
            known = fetched?.map(\.values) ?? content.participants
            for index in known.indices { known[index].isKnown = true }
        }
        for index in content.participants.indices {
            let id = content.participants[index].participantID
            content.participants[index].isKnown = known.contains { $0.participantID == id }
        }
        self.init(
            content, currentUserID: participants.first(where: \.isMarkedCurrentUser)?.participantID,
            url: coder.decoded(NSURL.self, ArchiveKey.url) as URL?, links: ShareLinks())
        rootRecordID = coder.decoded(CKRecordID.self, ArchiveKey.root)
        base = nil
        guard !known.isEmpty else { return }
        var fetched = content
        // The order says nothing.
        if Set(known) != Set(content.participants) { fetched.participants = known }
        base = fetched
    }
}

extension ShareState.Content {
    fileprivate func encode(with coder: NSCoder, _ prefix: String) {
        coder.encode(Int64(publicPermission.rawValue), forKey: prefix + ArchiveKey.publicPermission)
        coder.encode(list: participants.map { CKShareParticipant($0) }, forKey: prefix + ArchiveKey.participants)
        coder.encode(allowsAccessRequests, forKey: prefix + ArchiveKey.allowsAccessRequests)
        coder.encode(list: requesters, forKey: prefix + ArchiveKey.requesters)
        coder.encode(list: blocked, forKey: prefix + ArchiveKey.blocked)
    }

    fileprivate init?(coder: NSCoder, _ prefix: String) {
        guard
            let participants: [CKShareParticipant] = coder.decodedList(
                [CKShareParticipant.self], prefix + ArchiveKey.participants)
        else { return nil }
        let permission = Int(coder.decodeInt64(forKey: prefix + ArchiveKey.publicPermission))
        self.init(
            publicPermission: CKShare.ParticipantPermission(rawValue: permission) ?? .none,
            participants: participants.map(\.values),
            allowsAccessRequests: coder.decodeBool(forKey: prefix + ArchiveKey.allowsAccessRequests),
            requesters: coder.decodedList([CKShareAccessRequester.self], prefix + ArchiveKey.requesters) ?? [],
            blocked: coder.decodedList([CKShareBlockedIdentity.self], prefix + ArchiveKey.blocked) ?? [])
    }
}
