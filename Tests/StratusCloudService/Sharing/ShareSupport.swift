import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

extension TestCloud {
    /// The zone as participants name it.
    func place(_ zone: String, of owner: Caller? = nil) -> ZoneID {
        ZoneID(zoneName: zone, ownerRecordName: (owner ?? user()).authorRecordName)
    }

    /// Shares a record, made with it; or a whole zone.
    @discardableResult
    func share(
        _ root: String?, in zone: String, with people: [Caller] = [], _ permission: SharePermission = .readWrite,
        open: SharePermission? = nil
    ) async throws -> Record {
        var input = ShareInput()
        input.publicPermission = open
        input.forRecord = root.map { ShareInput.Root(recordName: $0) }
        input.participants = people.map {
            ShareParticipantInput(lookup: .userRecordName($0.authorRecordName), permission: permission)
        }
        let name = root.map { "Share-\($0)" } ?? SystemRecordType.zoneShareName
        let results = try await modify(
            (root.map { [.make(.forceUpdate, $0)] } ?? [])
                + [
                    RecordOperation(
                        .create, RecordInput(recordName: name, recordType: SystemRecordType.share, share: Boxed(input)))
                ], zone: zone)
        let share = try #require(results.last?.saved, "\(results)")
        for person in people { try await accept(share, as: person) }
        return share
    }

    /// What comes of a link.
    @discardableResult
    func accept(_ share: Record, as person: Caller) async throws -> ShareLinkResult {
        let request = ShareLinkRequest(shortGUID: share.shortGUID ?? "")
        return try #require(try await service.acceptShareLinks([request], as: person).first)
    }

    /// Changes a share, whatever its tag is.
    func update(_ share: String, in zone: String, _ change: (inout ShareInput) -> Void) async throws -> RecordResult {
        var input = ShareInput()
        change(&input)
        let tag = try await lookup([share], zone: zone).first?.saved?.recordChangeTag
        let results = try await modify(
            [RecordOperation(.update, RecordInput(recordName: share, recordChangeTag: tag, share: Boxed(input)))],
            zone: zone)
        return try #require(results.first)
    }

    func child(_ name: String, of parent: String?) -> RecordOperation {
        var operation = RecordOperation.make(.forceUpdate, name)
        operation.record.parent = parent.map { Reference(recordName: $0) }
        operation.record.clearsParent = parent == nil
        return operation
    }

    /// What a participant reads of a zone.
    func shared(_ zone: String, since token: String? = nil, as person: Caller) async throws -> ZoneChangesPage {
        try await service.recordChanges(
            ZoneChangesRequest(zoneID: place(zone), syncToken: token), in: .shared, as: person)
    }
}

extension ShareLinkResult {
    var error: CloudError? { if case .failed(_, let error) = self { error } else { nil } }
}
