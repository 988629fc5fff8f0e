import StratusCloudModel
import StratusCloudStore

/// A person in one container's environment who is being erased.
struct ErasedPerson: Sendable {
    /// Their user record name.
    let name: String
    let context: CloudContext
    let erasure: Erasure

    var caller: Caller { Caller(context: context, principal: .user(name)) }
    var privateDatabase: Partition { .privateDatabase(of: name, in: context) }
    var publicDatabase: Partition { .publicDatabase(of: context) }
}

extension CloudService {
    /// Takes everything of a person out of one container's environment. What others see goes as if the person did it
    /// themselves, so that they are told.
    func erase(_ person: ErasedPerson, _ report: inout ErasureReport) async throws(CloudError) {
        try await endSharing(of: person, &report)
        try await leaveRoles(person)
        try await clearPublicTraces(of: person, &report)
        try await wipe(person.privateDatabase)
        report.assetFiles += try await collect(in: person.privateDatabase, isFinal: true)
        let shared = Partition.sharedDatabase(of: person.name, in: person.context)
        for partition in [person.privateDatabase, shared] { try await clearAll(of: partition) }
        let assets = Key(Array(person.privateDatabase.name.utf8))
        try await writing(.assetDatabases) { $0.clear(assets) }
        try await writing(.context(person.context)) { transaction in
            transaction.clear(PushUsers.key(of: person.name))
            transaction.clear(SharingOwners.key(of: person.name))
        }
        push.hub.dismissAll(of: PushOwner(context: person.context, userRecordName: person.name))
        try await forgetName(of: person)
    }

    private func endSharing(of person: ErasedPerson, _ report: inout ErasureReport) async throws(CloudError) {
        let shared = Partition.sharedDatabase(of: person.name, in: person.context)
        for zone in try await reading(shared, { try SharedZone.all(in: $0) }) {
            do {
                _ = try await leave(zone.zoneID, person.caller)
                report.participations += 1
            } catch {
                // What they do not see any more, or what is gone, need not be left.
                guard [.zoneNotFound, .notFound].contains(error.code) else { throw error }
            }
        }
        let names = try await reading(person.privateDatabase) { try Self.allZones(in: $0).map(\.name) }
        for name in names where name != ZoneID.defaultZoneName {
            let operation = ZoneOperation(.delete, ZoneID(zoneName: name))
            for case .failed(_, let error) in try await modifyZones(
                [operation], in: .private, as: person.caller, mayDeleteReserved: true)
            where error.code != .zoneNotFound {
                throw error
            }
            report.zones += 1
        }
        // Before what the news lie in goes.
        try await tellNews(of: SharedNewsDesk.Owner(context: person.context, userRecordName: person.name))
    }

    private func leaveRoles(_ person: ErasedPerson) async throws(CloudError) {
        guard try await schema(of: person.context).members[person.name] != nil else { return }
        do {
            _ = try await schemas.change(person.context) { schema, _ in schema.members[person.name] = nil }
        } catch {
            throw cloudError(from: error)
        }
    }

    private func clearPublicTraces(
        of person: ErasedPerson, _ report: inout ErasureReport
    ) async throws(CloudError) {
        let users = try await schema(of: person.context).recordTypes[SystemRecordType.users] ?? .users
        let indexed = IndexedFields(users.indexedFields)
        let now = environment.now()
        try await writing(person.publicDatabase) { transaction in
            let table = SubscriptionTable(transaction)
            var summary = try table.summary()
            for stored in try SubscriptionTable.all(of: person.name, .public, in: transaction) {
                table.remove(stored, of: person.name, .public, from: &summary)
            }
            table.store(summary)
            transaction.clear(PushKey.queueRange(of: person.name))
            transaction.clear(Keyspace.receipts(of: person.name))
            try BlobLedger(transaction: transaction, now: now).dropUploads(of: person.name)
            // The record of the person themselves, which nobody else may delete, with the assets it has and what it holds.
            guard let record = try transaction.record(named: person.name, in: .default) else { return }
            try AssetUses(transaction, at: now).update(record.recordName, in: .default, from: record.fields, to: nil)
            var referrers = ReferrerLedger(zone: .default, isPublic: true)
            try referrers.replace(record, by: nil, version: record.version, in: transaction)
            referrers.finish(in: transaction)
            try IndexMaintenance.update(from: record, to: nil, fields: indexed, zone: .default, in: transaction)
            transaction.clear(Keyspace.version(zone: .default, record.version))
            transaction.clear(Keyspace.record(zone: .default, name: person.name))
        }
        // After it: it may hold some of them.
        if person.erasure.deletesPublicRecords { try await deletePublicRecords(of: person, &report) }
    }

    /// Goes over the records again as long as that helps: one may be held by another that was deleted after it.
    private func deletePublicRecords(
        of person: ErasedPerson, _ report: inout ErasureReport
    ) async throws(CloudError) {
        while true {
            let pass = try await deletePublicRecordsOnce(of: person)
            report.publicRecords += pass.deleted
            guard pass.deleted == 0 || pass.refused.isEmpty else { continue }
            report.keptRecords += pass.refused.prefix(max(0, ErasureReport.listed - report.keptRecords.count))
            return
        }
    }

    /// - Returns: how many were deleted, and the first ``ErasureReport/listed`` of those that others hold.
    private func deletePublicRecordsOnce(
        of person: ErasedPerson
    ) async throws(CloudError) -> (deleted: Int, refused: [String]) {
        var deleted = 0
        var refused: [String] = []
        let administrator = Caller(context: person.context, principal: .administrator(actingAs: nil))
        var after: String?
        repeat {
            let page = try await exportRecords(
                of: nil, in: .public, zoneID: .default, createdBy: person.name, after: after, as: administrator)
            let limit = operationLimit(for: administrator)
            for start in stride(from: 0, to: page.records.count, by: limit) {
                let operations = page.records[start..<min(start + limit, page.records.count)].map {
                    RecordOperation(.forceDelete, RecordInput(recordName: $0.recordName))
                }
                let request = ModifyRecordsRequest(operations: operations)
                for (record, result) in zip(
                    page.records[start...], try await modifyRecords(request, in: .public, as: administrator))
                {
                    guard case .failed(_, let error) = result, error.code != .notFound else {
                        deleted += 1
                        continue
                    }
                    // What passes is no reason to keep anything: the next attempt goes on.
                    guard !error.code.passes else { throw error }
                    if refused.count < ErasureReport.listed { refused.append(record.recordName) }
                }
            }
            after = page.next
        } while after != nil
        return (deleted, refused)
    }

    /// Clears whatever a partition holds, in transactions of bounded size.
    func clearAll(of partition: Partition) async throws(CloudError) {
        let all = KeyRange(lower: Key(), upper: Key().afterAllWithThisPrefix)
        while try await writing(partition, { try Self.clearStep(all, in: $0) }) {}
    }

    /// What leads to the person; at last, so that an erasure that was cut short finds what is left.
    private func forgetName(of person: ErasedPerson) async throws(CloudError) {
        _ = try await forEachStep(of: DirectoryKey.shareGUIDs, in: .directory) { entries, transaction in
            try entries.count { entry in
                let target = try ShareGUID(stored: entry.value)
                guard target.context == person.context, target.owner == person.name else { return false }
                transaction.clear(entry.key)
                return true
            }
        }
        _ = try await forEachStep(of: DirectoryKey.shareInvitations, in: .directory) { entries, transaction in
            try entries.count { entry in
                let note = try InvitationNote(stored: entry.value)
                guard note.context == person.context, note.owner == person.name else { return false }
                transaction.clear(entry.key)
                return true
            }
        }
        do {
            try await directory.change { transaction in
                let (id, context) = (person.erasure.accountID, person.context)
                try Discoverability.withdraw(id, in: context, transaction)
                transaction.clear(DirectoryKey.addressBook(of: person.name, in: context))
                transaction.clear(DirectoryKey.account(ofUser: person.name, in: context))
                transaction.clear(DirectoryKey.user(of: id, in: context))
            }
        } catch {
            throw cloudError(from: error)
        }
    }
}
