import FoundationEssentials
import StratusCloudModel

/// Changes of shares, for the commands that offer them.
extension ShareClient {
    /// Shares a record of the user's own with its descendants, or a zone as a whole.
    /// - Parameters:
    ///   - root: The record; nil for the zone.
    ///   - input: The people who are let in.
    func create(
        _ input: ShareInput, of root: Record?, in zoneID: ZoneID, title: String? = nil, type: String? = nil
    ) async throws(ToolError) -> ShareLink {
        var input = input
        var name = SystemRecordType.zoneShareName
        if let root {
            input.forRecord = ShareInput.Root(recordName: root.recordName, recordChangeTag: root.recordChangeTag)
            name = "Share-\(UUID().uuidString)"
        }
        var fields: [(name: String, field: FieldInput)] = []
        if let title { fields.append(("cloudkit.title", FieldInput(.text(title)))) }
        if let type { fields.append(("cloudkit.type", FieldInput(.text(type)))) }
        let record = RecordInput(
            recordName: name, recordType: SystemRecordType.share, fields: fields, share: Boxed(input))
        let saved = try await modify([RecordOperation(.create, record)], in: zoneID, .private)
        guard let shortGUID = saved.first?.shortGUID else { throw .unexpectedAnswer }
        return try await resolve(shortGUID)
    }

    /// Changes a share.
    /// - Parameter sendsMail: Whether people who are invited by it get the invitation by e-mail.
    /// - Returns: The share as it is then.
    func change(
        _ link: ShareLink, _ edits: [ShareEdit], sendsMail: Bool = false
    ) async throws(ToolError) -> ShareLink {
        let known = try link.details.participants.map(\.participantID)
        var link = link
        for edit in edits {
            let input: ShareInput
            let details = try link.details
            do throws(CloudError) { input = try edit.input(for: details) } catch { throw ToolError(error) }
            try await modify([Self.operation(.update, link, input)], in: link.zoneID, link.databaseScope)
            link = try await resolve(link.request.shortGUID)
        }
        if sendsMail { try await sendInvitations(of: link, besides: known) }
        return link
    }

    /// Sends the invitations of a share by e-mail, but for those of known participants and the owner.
    func sendInvitations(of link: ShareLink, besides known: [String] = []) async throws(ToolError) {
        let new = try link.details.participants.filter { $0.role != .owner && !known.contains($0.participantID) }
        try await sendInvitations(link.request.shortGUID, to: new.map(\.participantID))
    }

    /// Ends a share for everybody.
    /// - Throws: `ACCESS_DENIED` for a share of others.
    func stop(_ link: ShareLink) async throws(ToolError) {
        guard link.role == .owner else {
            throw ToolError(CloudError(.accessDenied, "only the owner of a share can stop it; see 'decline'"))
        }
        try await modify([Self.operation(.delete, link)], in: link.zoneID, link.databaseScope)
    }

    private static func operation(
        _ kind: RecordOperation.Kind, _ link: ShareLink, _ input: ShareInput? = nil
    ) -> RecordOperation {
        RecordOperation(
            kind,
            RecordInput(
                recordName: link.share.recordName, recordType: SystemRecordType.share,
                recordChangeTag: link.share.recordChangeTag, share: input.map { Boxed($0) }))
    }
}

extension ShareLink {
    /// The people of the share.
    var details: ShareDetails {
        get throws(ToolError) {
            guard let details = share.shareDetails?.value else { throw .unexpectedAnswer }
            return details
        }
    }
}
