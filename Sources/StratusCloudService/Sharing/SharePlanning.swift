import StratusCloudModel
import StratusCloudStore

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
        _ operation: PreparedOperation, _ number: ShareNumber, root: StoredRecord?
    ) throws -> SharePlan {
        guard isOwner else { throw CloudError(.accessDenied, "CREATE operation not permitted") }
        let share = StoredShare(
            number: number, recordName: operation.recordName, rootName: root?.recordName,
            shortGUID: root?.shortGUID ?? operation.shortGUID)
        return try change(WholeShare(share: share, participants: []), by: operation.input.share?.value)
    }

    /// A share as a save leaves it.
    func changed(_ operation: PreparedOperation, _ record: StoredRecord) throws -> SharePlan {
        let whole = try stored(record)
        guard isOwner || Authorization.permits(.manage, grant(in: whole)) else {
            throw CloudError(.accessDenied, "WRITE operation not permitted")
        }
        if let root = operation.input.share?.value.forRecord, root.recordName != whole.share.rootName {
            throw CloudError(.badRequest, "a share cannot change what it shares: record '\(record.recordName)'")
        }
        return try change(whole, by: operation.input.share?.value)
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

    /// - Parameter stored: the share as it was, with nobody if it is new.
    private func change(_ stored: WholeShare, by input: ShareInput?) throws(CloudError) -> SharePlan {
        var whole = stored
        if isOwner, let names = setting.callerNames { whole.share.ownerNames = names }
        if let input { try apply(input, to: &whole) }
        return .save(whole, ParticipantDifference(from: stored.participants, to: whole.participants))
    }

    private func apply(_ input: ShareInput, to whole: inout WholeShare) throws(CloudError) {
        if let deny = input.denyAccessRequests { whole.share.denyAccessRequests = deny }
        if let permission = input.publicPermission, permission != whole.share.publicPermission {
            setPublicPermission(permission, of: &whole)
        }
        if let participants = input.participants {
            var change = ParticipantChange(
                owner: owner, isOwner: isOwner, now: now, makeID: makeID, oneTimeGUIDs: setting.oneTimeGUIDs)
            try change.apply(participants, to: &whole)
        }
        if let names = input.requesters {
            let names = Set(names)
            whole.share.requesters.removeAll { !names.contains($0.userRecordName) }
        }
        if let names = input.blocked { try block(names, in: &whole) }
    }

    /// Whoever is to come in by the link alone needs no invitation, and a closed share has no public users.
    private func setPublicPermission(_ permission: SharePermission, of whole: inout WholeShare) {
        let wasClosed = whole.share.publicPermission == .none
        whole.share.publicPermission = permission
        for index in whole.participants.indices where whole.participants[index].role == .publicUser {
            whole.participants[index].permission = permission
        }
        whole.participants.removeAll { participant in
            permission == .none
                ? participant.role == .publicUser : wasClosed && participant.role == .user && !participant.hasAccepted
        }
    }

    private func block(_ names: [String], in whole: inout WholeShare) throws(CloudError) {
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
                throw CloudError(.badRequest, "only participants and people who asked for access can be blocked")
            }
            blocked.append(person)
        }
        whole.share.blocked = blocked
        whole.share.requesters.removeAll { out.contains($0.userRecordName) }
        let isOut: (StoredParticipant) -> Bool = { [out] participant in
            participant.user.map { out.contains($0.userRecordName) } ?? false
        }
        if !isOwner, whole.participants.contains(where: { isOut($0) && $0.role == .administrator }) {
            throw CloudError(.accessDenied, "only the owner of a share can dismiss its administrators")
        }
        whole.participants.removeAll(where: isOut)
    }
}
