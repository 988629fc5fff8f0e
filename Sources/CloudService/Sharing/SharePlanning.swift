import CloudModel
import CloudStore

/// Decides what operations on share records may do.
struct SharePlanning {
    let zoneID: ZoneID
    let header: ZoneHeader
    let view: ZoneView
    let caller: Caller
    let setting: ShareSetting
    let now: Int64
    let makeID: () -> String
    let ledger: ShareLedger

    /// User record name of the zone's owner.
    private var owner: String { zoneID.ownerRecordName ?? caller.authorRecordName }
    private var isOwner: Bool { view.access == nil }

    /// The share whose record is stored.
    func stored(_ record: StoredRecord) throws -> WholeShare {
        guard let whole = try WholeShare.named(record.recordName, zone: header, in: ledger.transaction) else {
            throw CloudError(.notFound, "Record not found")
        }
        return whole
    }

    // MARK: - Saving

    /// A share that is to be made.
    /// - Parameters:
    ///   - number: of the new share.
    ///   - shortGUID: for a root that has none.
    func made(
        _ operation: PreparedOperation, _ number: ShareNumber, root: StoredRecord?, shortGUID: String
    ) throws -> SharePlan {
        guard isOwner else { throw CloudError(.accessDenied, "CREATE operation not permitted") }
        let share = StoredShare(
            number: number, recordName: operation.recordName, rootName: root?.recordName,
            shortGUID: root?.shortGUID ?? shortGUID)
        var whole = WholeShare(share: share, participants: [])
        let removed = try change(&whole, by: operation.input.share?.value)
        return .save(whole, removed: removed)
    }

    /// A share as a save leaves it.
    func changed(_ operation: PreparedOperation, _ record: StoredRecord) throws -> SharePlan {
        var whole = try stored(record)
        guard isOwner || Authorization.permits(.manage, grant(in: whole)) else {
            throw CloudError(.accessDenied, "WRITE operation not permitted")
        }
        if let root = operation.input.share?.value.forRecord, root.recordName != whole.share.rootName {
            throw CloudError(.badRequest, "a share never changes what it shares: record '\(record.recordName)'")
        }
        let removed = try change(&whole, by: operation.input.share?.value)
        return .save(whole, removed: removed)
    }

    func ended(_ record: StoredRecord) throws -> SharePlan {
        let whole = try stored(record)
        if isOwner { return .stop(whole) }
        guard let own = whole.participant(of: caller.authorRecordName) else {
            throw CloudError(.accessDenied, "DELETE operation not permitted")
        }
        return .leave(whole, own)
    }

    private func grant(in whole: WholeShare) -> ShareGrant? { view.access?.grants[whole.share.number] }

    private func change(_ whole: inout WholeShare, by input: ShareInput?) throws(CloudError) -> [StoredParticipant] {
        if isOwner { whole.share.ownerNames = setting.callerNames }
        guard let input else { return [] }
        var removed: [StoredParticipant] = []
        if let deny = input.denyAccessRequests { whole.share.denyAccessRequests = deny }
        if let permission = input.publicPermission, permission != whole.share.publicPermission {
            removed += setPublicPermission(permission, of: &whole)
        }
        if let participants = input.participants {
            var change = ParticipantChange(
                owner: owner, isOwner: isOwner, now: now, makeID: makeID, oneTimeGUIDs: setting.oneTimeGUIDs)
            removed += try change.apply(participants, to: &whole)
        }
        if let names = input.requesters {
            let names = Set(names)
            whole.share.requesters.removeAll { !names.contains($0.userRecordName) }
        }
        if let names = input.blocked { removed += try block(names, in: &whole) }
        return removed
    }

    /// Whoever is to come in by the link alone needs no invitation, and a closed share has no public users.
    private func setPublicPermission(
        _ permission: SharePermission, of whole: inout WholeShare
    ) -> [StoredParticipant] {
        let wasClosed = whole.share.publicPermission == .none
        whole.share.publicPermission = permission
        for index in whole.participants.indices where whole.participants[index].role == .publicUser {
            whole.participants[index].permission = permission
        }
        let leaves: (StoredParticipant) -> Bool = { participant in
            permission == .none
                ? participant.role == .publicUser : wasClosed && participant.role == .user && !participant.hasAccepted
        }
        let removed = whole.participants.filter(leaves)
        whole.participants.removeAll(where: leaves)
        return removed
    }

    private func block(_ names: [String], in whole: inout WholeShare) throws(CloudError) -> [StoredParticipant] {
        guard names.count <= ShareLimits.blocked else {
            throw CloudError(
                .badRequest, "more than \(ShareLimits.blocked) people would be blocked, which is the maximum")
        }
        let people = whole.share.blocked + whole.share.requesters + whole.participants.compactMap(\.user)
        let known = Dictionary(people.map { ($0.userRecordName, $0) }) { first, _ in first }
        var out: Set<String> = []
        var blocked: [StoredPerson] = []
        for name in names where name != owner && out.insert(name).inserted {
            guard let person = known[name] else {
                throw CloudError(.badRequest, "only who asked for access or takes part can be blocked")
            }
            blocked.append(person)
        }
        whole.share.blocked = blocked
        whole.share.requesters.removeAll { out.contains($0.userRecordName) }
        let isOut: (StoredParticipant) -> Bool = { [out] participant in
            participant.user.map { out.contains($0.userRecordName) } ?? false
        }
        let removed = whole.participants.filter(isOut)
        if !isOwner, removed.contains(where: { $0.role == .administrator }) {
            throw CloudError(.accessDenied, "only the owner of a share can dismiss its administrators")
        }
        whole.participants.removeAll(where: isOut)
        return removed
    }
}
