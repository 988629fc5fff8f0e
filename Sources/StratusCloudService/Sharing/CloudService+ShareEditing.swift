import StratusCloudModel

/// Shares as pages show and change them: one share at a time, by its link.
extension CloudService {
    /// Returns what a link leads to.
    /// - Throws: `notFound` for a link that leads nowhere; `accessDenied` for one that is not for the caller.
    public func shareLink(_ shortGUID: String, as caller: Caller) async throws(CloudError) -> ShareLink {
        try Self.onlyLink(in: try await resolveShareLinks([ShareLinkRequest(shortGUID: shortGUID)], as: caller))
    }

    /// Lets the caller join a share.
    /// - Throws: As ``shareLink(_:as:)``.
    public func joinShare(_ shortGUID: String, as caller: Caller) async throws(CloudError) {
        _ = try Self.onlyLink(in: try await acceptShareLinks([ShareLinkRequest(shortGUID: shortGUID)], as: caller))
    }

    /// Removes the caller from a share, also from one they were only invited to.
    /// - Throws: As ``shareLink(_:as:)``.
    public func leaveShare(_ shortGUID: String, as caller: Caller) async throws(CloudError) {
        _ = try Self.onlyLink(in: try await declineShareLinks([ShareLinkRequest(shortGUID: shortGUID)], as: caller))
    }

    /// Changes a share.
    /// - Parameters:
    ///   - link: The share as the caller saw it.
    ///   - sendsMail: Whether people who are invited by it get the invitation by e-mail.
    /// - Throws: `conflict` if the share has changed since; `accessDenied` for those who may not change it;
    ///   `badRequest`.
    public func editShare(
        _ link: ShareLink, _ edit: ShareEdit, sendsMail: Bool = false, as caller: Caller
    ) async throws(CloudError) {
        guard let details = link.share.shareDetails?.value else { throw CloudError(.internalError, "internal error") }
        try await modify(link, .update, try edit.input(for: details), as: caller)
        guard sendsMail, case .invite = edit else { return }
        let known = Set(details.participants.map(\.participantID))
        try await sendInvitations(ofNewParticipantsIn: link.request.shortGUID, besides: known, as: caller)
    }

    /// Ends a share. Its participants lose access at once.
    /// - Throws: `accessDenied` for all but its owner.
    public func endShare(_ link: ShareLink, as caller: Caller) async throws(CloudError) {
        // A participant who deletes a share record leaves the share.
        guard link.role == .owner else {
            throw CloudError(.accessDenied, "only the owner of a share can stop it")
        }
        try await modify(link, .delete, nil, as: caller)
    }

    /// Sends the invitations of participants who are not `known` yet.
    func sendInvitations(
        ofNewParticipantsIn shortGUID: String, besides known: Set<String> = [], as caller: Caller
    ) async throws(CloudError) {
        let details = try await shareLink(shortGUID, as: caller).share.shareDetails?.value
        let invited = (details?.participants ?? []).filter { $0.role != .owner && !known.contains($0.participantID) }
        try await sendInvitations(of: shortGUID, to: invited.map(\.participantID), as: caller)
    }

    private func modify(
        _ link: ShareLink, _ kind: RecordOperation.Kind, _ input: ShareInput?, as caller: Caller
    ) async throws(CloudError) {
        let record = RecordInput(
            recordName: link.share.recordName, recordType: SystemRecordType.share,
            recordChangeTag: link.share.recordChangeTag, share: input.map { Boxed($0) })
        let request = ModifyRecordsRequest(operations: [RecordOperation(kind, record)], zoneID: link.zoneID)
        if case .failed(_, let error)? = try await modifyRecords(request, in: link.databaseScope, as: caller).first {
            throw error
        }
    }

    private static func onlyLink(in results: [ShareLinkResult]) throws(CloudError) -> ShareLink {
        switch results.first {
        case .link(let link)?: return link.value
        case .failed(_, let error)?: throw error
        case nil: throw CloudError(.internalError, "internal error")
        }
    }
}
