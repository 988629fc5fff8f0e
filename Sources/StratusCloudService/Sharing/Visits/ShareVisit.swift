import StratusCloudModel
import StratusCloudStore

/// What a share link is to a person who opens it in a browser.
public struct ShareVisit: Sendable {
    /// Where the person stands.
    public enum Standing: Sendable {
        /// Owner, participant or invited, as the link says.
        case link(Boxed<ShareLink>)
        /// Not (any more) among those whom the link lets in.
        case outside(Reason, AccessRequest)
    }

    /// Why the link does not let somebody in.
    public enum Reason: Sendable {
        /// Others are invited.
        case uninvited
        /// It was for one person, and somebody used it.
        case used
        /// The invitation is older than ``ShareLimits/invitationLifetime``.
        case expired
    }

    /// What becomes of asking for access.
    public enum AccessRequest: Sendable {
        /// Nobody would hear it.
        case refused
        case possible
        /// The owner has not answered yet.
        case waiting
    }

    /// The container and environment of the share.
    public var context: CloudContext
    /// Where the person stands.
    public var standing: Standing
    /// Whether the person says who takes part.
    public var isManager = false
    /// Whether the link is for one person, who has not used it yet.
    public var isOneTimeLink = false
    /// When the person's invitation ends, in milliseconds since 1970-01-01 UTC; nil for all but the invited.
    public var expires: Int64?
}

extension ShareVisitor {
    /// What a link is to the visitor.
    /// - Throws: ``notFound`` for a link that leads nowhere.
    func visit(_ shortGUID: String, _ zone: ShareGUID, in transaction: any ReadTransaction) throws -> ShareVisit {
        let (_, link, whole) = try find(shortGUID, zone.zoneName, in: transaction)
        do {
            let found = try look(ShareLinkRequest(shortGUID: shortGUID), zone, in: transaction)
            var visit = ShareVisit(context: context, standing: .link(Boxed(found)))
            visit.isManager = user == zone.owner || Authorization.permits(.manage, whole.participant(of: user)?.grant)
            if found.acceptance == .invited, let added = found.share.shareDetails?.value.currentUserParticipant?.added {
                visit.isOneTimeLink = link.participant != nil
                visit.expires = added + ShareLimits.invitationLifetime
            }
            return visit
        } catch let error as CloudError where error == Self.uninvited {
            return ShareVisit(
                context: context, standing: .outside(reason(whole, link), accessRequest(to: whole.share)))
        }
    }

    private func reason(_ whole: WholeShare, _ link: StoredShareLink) -> ShareVisit.Reason {
        if let number = link.participant {
            return whole.participants.contains { $0.number == number && !$0.hasAccepted } ? .expired : .used
        }
        let handles = handles
        let wasInvited = whole.participants.contains { participant in
            !participant.hasAccepted && participant.lookup.map(handles.contains) ?? false
        }
        return wasInvited && !whole.share.isBlocked(user) ? .expired : .uninvited
    }

    private func accessRequest(to share: StoredShare) -> ShareVisit.AccessRequest {
        if share.requesters.contains(where: { $0.userRecordName == user }) { return .waiting }
        // Who is blocked is not told so.
        return share.denyAccessRequests || share.isBlocked(user) ? .refused : .possible
    }
}

extension CloudService {
    /// What a share link is to a person; nil if it leads nowhere, or no longer. Changes nothing: who never used the
    /// container is no user of it afterwards either.
    public func shareVisit(
        _ shortGUID: String, for holder: AccountHolder
    ) async throws(CloudError) -> ShareVisit? {
        guard let zone = try await shareZone(shortGUID) else { return nil }
        let id = holder.account.id
        let (name, person) = try await reading(.directory) { transaction in
            (
                try transaction.get(DirectoryKey.user(of: id, in: zone.context)),
                try SharePerson.read(accountID: id, in: transaction)
            )
        }
        let visitor = ShareVisitor(
            user: name.map { String(decoding: $0, as: UTF8.self) } ?? Caller.nobodyRecordName, person: person,
            context: zone.context, now: environment.now())
        do throws(CloudError) {
            return try await reading(visitor.partition(of: zone)) { try visitor.visit(shortGUID, zone, in: $0) }
        } catch {
            guard error == ShareVisitor.notFound else { throw error }
            return nil
        }
    }

    /// A person as a user of a container, which they become by this if they were not.
    public func caller(for holder: AccountHolder, in context: CloudContext) async throws(CloudError) -> Caller {
        do {
            return Caller(context: context, principal: .user(try await userRecordName(of: holder.account, in: context)))
        } catch {
            throw cloudError(from: error)
        }
    }
}
