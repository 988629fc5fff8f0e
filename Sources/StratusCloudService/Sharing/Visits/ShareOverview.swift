import StratusCloudModel
import StratusCloudStore

/// What a person shares, and what others share with them, in all apps that they use.
public struct ShareOverview: Sendable {
    /// By container and environment.
    public var own: [ShareLink] = []
    /// Those that the person accepted; by container and environment.
    public var others: [ShareLink] = []
    /// Those that the person is invited to and has not come into; the latest first.
    public var invitations: [ShareLink] = []
    /// Whether there are more than ``ShareLimits/sharesPerOverview`` of one of them, which are left out.
    public var isCut = false
}

extension CloudService {
    /// The shares of a person who is signed in on a page, with what each of their links would show. Changes nothing, but
    /// forgets notes of invitations that are none any more.
    public func shareOverview(for holder: AccountHolder) async throws(CloudError) -> ShareOverview {
        let id = holder.account.id
        let contexts = try await accountOverview(for: holder).apps.map(\.context)
        let (names, person) = try await reading(.directory) { transaction in
            (
                try transaction.get(contexts.map { DirectoryKey.user(of: id, in: $0) }),
                try SharePerson.read(accountID: id, in: transaction)
            )
        }
        var overview = ShareOverview()
        var visitors: [CloudContext: ShareVisitor] = [:]
        for (context, name) in zip(contexts, names) {
            guard let name else { continue }
            let visitor = ShareVisitor(
                user: String(decoding: name, as: UTF8.self), person: person, context: context, now: environment.now())
            visitors[context] = visitor
            try await addOwn(of: visitor, to: &overview)
            try await addOthers(of: visitor, to: &overview)
        }
        try await addInvitations(to: person, visitors, &overview)
        return overview
    }

    /// Also of apps that the person has never used: who is invited may be new.
    private func addInvitations(
        to person: SharePerson, _ visitors: [CloudContext: ShareVisitor], _ overview: inout ShareOverview
    ) async throws(CloudError) {
        let now = environment.now()
        let handles = person.handles + visitors.values.map { .userRecordName($0.user) }
        let found = try await invitations(to: handles) { context in
            visitors[context]
                ?? ShareVisitor(user: Caller.nobodyRecordName, person: person, context: context, now: now)
        }
        overview.invitations = Array(found.prefix(ShareLimits.sharesPerOverview))
        if found.count > ShareLimits.sharesPerOverview { overview.isCut = true }
    }

    private func addOwn(of visitor: ShareVisitor, to overview: inout ShareOverview) async throws(CloudError) {
        let room = ShareLimits.sharesPerOverview - overview.own.count
        let found = try await reading(.privateDatabase(of: visitor.user, in: visitor.context)) { transaction in
            var links: [ShareLink] = []
            for (name, header) in try Self.allZones(in: transaction) where header.sharing.isAnything {
                let zone = ShareGUID(context: visitor.context, owner: visitor.user, zoneName: name)
                links += try visitor.links(
                    to: transaction.allValues(in: Keyspace.shares(zone: header.number)), zone, room: room - links.count,
                    in: transaction)
                if links.count > room { break }
            }
            return links
        }
        overview.own += found.prefix(room)
        if found.count > room { overview.isCut = true }
    }

    private func addOthers(of visitor: ShareVisitor, to overview: inout ShareOverview) async throws(CloudError) {
        let noted = try await reading(.sharedDatabase(of: visitor.user, in: visitor.context)) {
            try SharedZone.all(in: $0)
        }
        let byOwner = Dictionary(grouping: noted.map(\.zoneID)) { $0.ownerRecordName ?? "" }
        for (owner, zoneIDs) in byOwner.sorted(by: { $0.key < $1.key }) {
            let room = ShareLimits.sharesPerOverview - overview.others.count
            let found = try await reading(.privateDatabase(of: owner, in: visitor.context)) { transaction in
                var links: [ShareLink] = []
                for zoneID in zoneIDs {
                    guard let header = try ZoneHeader.find(zoneID.zoneName, in: transaction),
                        let access = try SharedAccess.read(of: visitor.user, zone: header, in: transaction)
                    else { continue }
                    let zone = ShareGUID(context: visitor.context, owner: owner, zoneName: zoneID.zoneName)
                    let numbers = access.grants.keys.sorted()
                    let shares = try transaction.get(numbers.map { Keyspace.share(zone: header.number, $0) })
                    links += try visitor.links(
                        to: shares.compactMap { try $0.map { try StoredShare(stored: $0) } }, zone,
                        room: room - links.count, in: transaction)
                    if links.count > room { break }
                }
                return links
            }
            overview.others += found.prefix(room)
            if found.count > room {
                overview.isCut = true
                return
            }
        }
    }
}

extension ShareVisitor {
    /// What the links of live shares are to the visitor; one more than there is room for, if there are so many.
    fileprivate func links(
        to shares: [StoredShare], _ zone: ShareGUID, room: Int, in transaction: any ReadTransaction
    ) throws -> [ShareLink] {
        var links: [ShareLink] = []
        for share in shares where share.isLive {
            guard links.count <= room else { break }
            links.append(try look(ShareLinkRequest(shortGUID: share.shortGUID), zone, in: transaction))
        }
        return links
    }
}
