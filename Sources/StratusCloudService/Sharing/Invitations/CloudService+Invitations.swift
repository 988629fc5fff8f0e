import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `records/invitations`: the shares of the container to which the caller is invited and has not come: what each of their
    /// links would show them, the latest first. By the rules of ``resolveShareLinks(_:as:)``: an invitation finds the
    /// address, number or user record of the account that asks, and nobody else. Apple's protocol has no such operation.
    /// - Throws: `authenticationRequired` without a user, `accessDenied` for server-to-server keys.
    public func shareInvitations(as caller: Caller) async throws(CloudError) -> [ShareLinkResult] {
        let visitor = try await visitor(caller)
        let found = try await invitations(to: visitor.handles) { $0 == caller.context ? visitor : nil }
        return found.prefix(ShareLimits.sharesPerOverview).map { .link(Boxed($0)) }
    }

    /// The invitations to some people, the latest first; at most one more than ``ShareLimits/sharesPerOverview``.
    /// - Parameter visitor: who the person is in a context; nil where nobody asks for its shares.
    func invitations(
        to handles: [UserLookup], _ visitor: @Sendable (CloudContext) -> ShareVisitor?
    ) async throws(CloudError) -> [ShareLink] {
        let notes = try await reading(.directory) { transaction in
            try handles.flatMap { handle in
                try transaction.entries(
                    in: KeyRange(prefix: DirectoryKey.shareInvitations(to: handle)), limit: ShareLimits.invitationsRead
                ).map { (entry: $0, note: try InvitationNote(stored: $0.value)) }
            }
        }
        var found: [ShareLink] = []
        var names: Set<String> = []
        for (entry, note) in notes {
            guard let visitor = visitor(note.context) else { continue }
            let partition = Partition.privateDatabase(of: note.owner, in: note.context)
            guard let link = try await reading(partition, { try visitor.invitation(note, in: $0) }) else {
                await forget(entry)
                continue
            }
            // Somebody may be invited by address and by number.
            if names.insert(link.request.shortGUID).inserted { found.append(link) }
        }
        found.sort { $0.invited > $1.invited }
        return Array(found.prefix(ShareLimits.sharesPerOverview + 1))
    }

    /// Forgets a note of an invitation that is none any more; unless there was another meanwhile.
    private func forget(_ entry: StoreEntry) async {
        do throws(CloudError) {
            try await writing(.directory) { transaction in
                if try transaction.get(entry.key) == entry.value { transaction.clear(entry.key) }
            }
        } catch {
            // Reported where it became a CloudError. A note that stays is looked at once more, and says as little.
        }
    }
}

extension ShareVisitor {
    /// What the link of a share is to the visitor, if the invitation is still open and theirs.
    func invitation(_ note: InvitationNote, in transaction: any ReadTransaction) throws -> ShareLink? {
        guard let header = try ZoneHeader.find(note.zoneName, in: transaction),
            let whole = try WholeShare.named(note.shareName, zone: header, in: transaction)
        else { return nil }
        let zone = ShareGUID(context: context, owner: note.owner, zoneName: note.zoneName)
        do {
            let link = try look(ShareLinkRequest(shortGUID: whole.share.shortGUID), zone, in: transaction)
            // A link for everybody is no invitation.
            return link.acceptance == .invited && link.role != .publicUser ? link : nil
        } catch let error as CloudError where error == Self.uninvited || error == Self.notFound {
            return nil
        }
    }
}

extension ShareLink {
    /// When the caller was invited.
    fileprivate var invited: Int64 { share.shareDetails?.value.currentUserParticipant?.added ?? 0 }
}
