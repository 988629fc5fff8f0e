import Foundation
import StratusWorkers

/// The record that says who takes part in a record with all below it, or in a whole zone, and what they may do.
///
/// Save it together with its root record, in a custom zone of the private database; deleting it stops the sharing, and whoever
/// else deletes it leaves. It is saved only if the server has it as it was fetched, whatever the policy.
///
/// `@unchecked Sendable`: for the reason of its superclass; it adds nothing that changes.
public final class CKShare: CKRecord, @unchecked Sendable {
    /// Shares a record, and all that have it as their ``CKRecord/parent``, or one below it.
    public convenience init(rootRecord: CKRecord) {
        self.init(
            rootRecord: rootRecord,
            shareID: CKRecord.ID(recordName: "Share-\(UUID().uuidString)", zoneID: rootRecord.recordID.zoneID))
    }

    /// Shares a record under a name of the program's, which is of the record's zone.
    public convenience init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        var state = RecordState()
        state.sharing = ShareState(rootRecordID: rootRecord.recordID)
        self.init(CKRecordTypeShare, shareID, state)
        rootRecord.state.withLock { $0.share = Reference(recordID: shareID, action: .none) }
    }

    /// Shares a whole zone: all records that it has and will have.
    public convenience init(recordZoneID: CKRecordZone.ID) {
        var state = RecordState()
        state.sharing = ShareState()
        self.init(
            CKRecordTypeShare, CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID), state)
    }

    /// A share has something that it shares.
    @available(*, unavailable, message: "Use init(rootRecord:) or init(recordZoneID:)")
    public convenience init(recordType: RecordType, recordID: ID = ID()) { self.init(recordZoneID: recordID.zoneID) }

    /// A share has something that it shares.
    @available(*, unavailable, message: "Use init(rootRecord:) or init(recordZoneID:)")
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) { self.init(recordZoneID: zoneID) }

    /// Reads a share, or the system fields of one, from an archive of the SDK's or Apple's; nil if they are not whole, or of
    /// another record.
    public required convenience init?(coder: NSCoder) {
        guard let parts = Self.shareParts(of: coder) else { return nil }
        self.init(parts.type, parts.recordID, parts.state)
    }

    /// Reads a share, or the system fields of one, as programs for Apple's systems spell it, where the initializer has no way
    /// to fail: an archive that is not whole, or of another record, ends the program. `CKShare(coder: unarchiver as NSCoder)`
    /// gives nil instead.
    public convenience init(coder aDecoder: NSKeyedUnarchiver) {
        guard let parts = Self.shareParts(of: aDecoder) else {
            ProgramFault.stop("The archive holds no share that is whole.")
        }
        self.init(parts.type, parts.recordID, parts.state)
    }

    /// What an archive holds of a share; nil if it is not whole, or of another record.
    private static func shareParts(of coder: NSCoder) -> (type: RecordType, recordID: ID, state: RecordState)? {
        guard let parts = parts(of: coder), parts.type == CKRecordTypeShare, parts.state.sharing != nil else {
            return nil
        }
        return parts
    }

    // MARK: Who takes part

    /// What somebody may do who has the link and was not invited. Opening the share takes back invitations that nobody has
    /// accepted; closing it removes all who came with the link alone.
    public var publicPermission: ParticipantPermission {
        get { sharing.publicPermission }
        set { change { $0.publicPermission = newValue } }
    }

    /// The address by which others come in; nil until the share is saved. Its path stays the same when the record is shared
    /// again. What stands behind `#`, on the owner's devices, brings the keys of encrypted values, and changes when somebody was
    /// removed: give the link to those who have not come in yet once more then.
    public var url: URL? { sharing.url }

    /// All who take part or are invited, as far as the current user may know: an owner or administrator sees everybody, others
    /// the owner and themselves.
    public var participants: [Participant] { sharing.participants }

    /// To whom the records belong.
    public var owner: Participant {
        let sharing = sharing
        // Whoever makes a share owns it. One that lost its owner here still has them on the server.
        return sharing.participants.first { $0.role == .owner } ?? sharing.ancestor.participants.first {
            $0.role == .owner
        }
            ?? ShareState().participants[0]
    }

    /// The current user's entry; nil for somebody who only looks.
    public var currentUserParticipant: Participant? { sharing.currentUser }

    /// Invites somebody. If they take part already, or are invited, they get role and permission of the new entry.
    public func addParticipant(_ participant: Participant) {
        change { sharing in
            let identity = participant.userIdentity
            if sharing.participants.contains(where: { $0 === participant }) { return }
            guard let known = sharing.participants.first(where: { $0.userIdentity.isSamePerson(as: identity) }) else {
                sharing.participants.append(participant)
                return
            }
            guard known.role != .owner else { return }
            known.role = participant.role
            known.permission = participant.permission
        }
    }

    /// Ends somebody's part, once the share is saved. A share without its owner cannot be saved: `CKError.invalidArguments`.
    public func removeParticipant(_ participant: Participant) {
        change { sharing in sharing.participants.removeAll { $0 == participant } }
    }

    /// The address by which one person can become a participant that was made by ``CKShareParticipant/oneTimeURLParticipant()``;
    /// nil until the share is saved, and once somebody used it.
    public func oneTimeURL(for participantID: Participant.ID) -> URL? {
        let sharing = sharing
        let participant = sharing.participants.first { $0.isCalled(participantID) }
        return participant?.values.oneTimeShortGUID.flatMap { sharing.links.url(of: $0, sharing.oneTimeSecrets[$0]) }
    }

    /// Takes over what the links need for encrypted values.
    func adopt(_ secrets: ShareSecrets) { change { $0.adopt(secrets) } }

    // MARK: Who asks

    /// Whether those who were not invited may ask for access. Only owner and administrators can save a share in which it was
    /// changed.
    public var allowsAccessRequests: Bool {
        get { sharing.allowsAccessRequests }
        set { change { $0.allowsAccessRequests = newValue } }
    }

    /// Those who ask for access; for owner and administrators.
    public var requesters: [AccessRequester] { sharing.requesters }

    /// Those who can neither come in nor ask; for owner and administrators.
    public var blockedIdentities: [BlockedIdentity] { sharing.blocked }

    /// Turns requests down, once the share is saved. Who was denied may ask again.
    public func denyRequesters(_ requesters: [AccessRequester]) {
        change { sharing in sharing.requesters.removeAll(where: requesters.contains) }
    }

    /// Turns requests down for good, once the share is saved; whoever takes part meanwhile is removed.
    public func blockRequesters(_ requesters: [AccessRequester]) {
        change { sharing in
            sharing.requesters.removeAll(where: requesters.contains)
            for identity in requesters.map(\.userIdentity) {
                let blocked = CKShareBlockedIdentity(identity)
                if !sharing.blocked.contains(blocked) { sharing.blocked.append(blocked) }
                sharing.participants.removeAll { $0.role != .owner && $0.userIdentity.isSamePerson(as: identity) }
            }
        }
    }

    /// Lets people come in and ask again, once the share is saved.
    public func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
        change { sharing in sharing.blocked.removeAll(where: blockedIdentities.contains) }
    }

    // MARK: Values

    private var sharing: ShareState { state.withLock { $0.sharing } ?? ShareState() }

    private func change(_ body: @Sendable (inout ShareState) -> Void) {
        state.withLock { state in
            var sharing = state.sharing ?? ShareState()
            body(&sharing)
            state.sharing = sharing
        }
    }

    /// A share of its own with the same values, participants and system fields.
    public override func copy(with zone: NSZone? = nil) -> Any {
        var state = state.withLock { $0 }
        state.sharing = state.sharing?.copy
        return CKShare(recordType, recordID, state)
    }

    /// For logs; without values and people.
    public override var description: String {
        "<CKShare: recordID=\(recordID), recordChangeTag=\(recordChangeTag ?? "nil"), "
            + "participants=\(participants.count), publicPermission=\(publicPermission)>"
    }
}

extension CKRecord {
    /// A record of the class that its type wants.
    static func make(_ recordType: RecordType, _ recordID: ID, _ state: RecordState) -> CKRecord {
        guard recordType == CKRecordTypeShare else { return CKRecord(recordType, recordID, state) }
        var state = state
        if state.sharing == nil { state.sharing = ShareState() }
        return CKShare(recordType, recordID, state)
    }
}
