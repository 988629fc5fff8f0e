import StratusCloudKit
import StratusCloudModel
import StratusCloudService

/// What is stored, to be asserted on, and what a test does to it behind the clients' backs. None of this is a request:
/// faults do not concern it and the log does not show it.
extension LocalCloud {
    /// The records that a zone holds, in the order of their names, as their owner sees them; assets without their files,
    /// and without encrypted values, which a cloud cannot read.
    /// - Parameter container: nil for the default one.
    /// - Throws: `CKError.zoneNotFound`
    public func records(
        in zoneID: CKRecordZone.ID = .default, of account: Account, container: String? = nil
    ) async throws -> [CKRecord] {
        try await records(in: zoneID, .private, container, as: account.name)
    }

    /// The records of the public database, in the order of their names.
    public func publicRecords(container: String? = nil) async throws -> [CKRecord] {
        try await records(in: .default, .public, container, as: nil)
    }

    /// The custom zones of a person's private database.
    public func zones(of account: Account, container: String? = nil) async throws -> [CKRecordZone.ID] {
        try await asking(container) { core, identifier throws(CloudError) in
            let owner = core.people.userName(of: account.name, in: identifier)
            let names = IdentityNames(currentUser: owner)
            let caller = Caller(
                context: core.context(identifier), principal: .administrator(actingAs: owner))
            return try await core.service.listZones(in: .private, as: caller).map { names.zoneID($0.zoneID) }
                .filter { $0.zoneName != CKRecordZone.ID.defaultZoneName }
        }
    }

    /// Does what a person does who removes the app's data in the system's settings: the zone and its records go. Feeds say
    /// that it was purged, and what is asked of it fails with `CKError.userDeletedZone`, until it is saved again.
    public func purge(
        zone zoneID: CKRecordZone.ID, of account: Account, container: String? = nil
    ) async throws {
        try await asking(container) { core, identifier throws(CloudError) in
            let owner = core.people.userName(of: account.name, in: identifier)
            let caller = Caller(
                context: core.context(identifier), principal: .administrator(actingAs: owner))
            let results = try await core.service.modifyZones(
                [ZoneOperation(.delete, ZoneID(zoneName: zoneID.zoneName), reason: .purged)], in: .private, as: caller)
            if case .failed(_, let error)? = results.first { throw error }
        }
    }

    /// Makes all tokens of change feeds that were given so far expire: whoever comes with one is told
    /// `CKError.changeTokenExpired`.
    public func expireChangeTokens() { core.expireTokens() }

    /// Restarts the server: what it has stored remains, and what it had in memory is gone. Devices connect again by
    /// themselves. To let it crash in the middle of a request, inject ``Fault/dropBeforeCommit`` or
    /// ``Fault/dropAfterCommit`` and ``Fault/offline`` first.
    public func restart() {
        core.restart()
        for room in allRooms { room.accountChanged() }
    }

    private func records(
        in zoneID: CKRecordZone.ID, _ scope: DatabaseScope, _ container: String?, as account: String?
    ) async throws -> [CKRecord] {
        try await asking(container) { core, identifier throws(CloudError) in
            let owner = account.flatMap { core.people.userName(of: $0, in: identifier) }
            let caller = Caller(
                context: core.context(identifier), principal: .administrator(actingAs: owner))
            var stored: [Record] = []
            var next: String?
            repeat {
                let page = try await core.service.exportRecords(
                    of: nil, in: scope, zoneID: ZoneID(zoneName: zoneID.zoneName), after: next, as: caller)
                stored += page.records
                next = page.next
            } while next != nil
            let decoding = RecordDecoding(names: IdentityNames(currentUser: owner))
            do {
                return try stored.map { record in
                    var record = record
                    for entry in record.fields where entry.field.isEncrypted { record.fields[entry.name] = nil }
                    return try decoding.record(record)
                }
            } catch {
                throw CloudError(.internalError, "a stored record cannot be read")
            }
        }
    }

    private func asking<Value>(
        _ container: String?, _ body: (CloudCore, ContainerIdentifier) async throws(CloudError) -> Value
    ) async throws -> Value {
        let identifier = try CloudCore.container(container ?? containerIdentifier)
        do throws(CloudError) {
            try await core.prepare(identifier)
            return try await body(core, identifier)
        } catch {
            throw core.cloudKitError(.refused(error, requestUUID: nil), isMutating: false)
        }
    }
}
