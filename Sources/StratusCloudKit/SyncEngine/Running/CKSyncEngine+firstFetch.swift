// Who asks a feed from its beginning is told what there is, and not what went before. But the app may have some of that: it
// has sent it itself, or was told of it just before it ended.
extension CKSyncEngine {
    /// Asks for the place in the changes of zones that were saved just now and are empty. The records that are sent to them
    /// next need not be kept until they are fetched, of which there may be many.
    func follow(_ zoneIDs: [CKRecordZone.ID], _ client: DatabaseClient) async {
        let unknown = state.read { state in
            zoneIDs.filter { state[$0]?.token == nil && state.unfollowed[$0] == nil }
        }
        guard !unknown.isEmpty else { return }
        let answers: ItemResults<CKRecordZone.ID, ZoneChangesOutcome>
        do {
            answers = try await client.zoneChanges(
                unknown.map { ZoneChangesQuestion(zoneID: $0, resultsLimit: 1, desiredKeys: []) })
        } catch {
            // The next fetch asks again.
            return
        }
        for case (let zoneID, .success(let page)) in answers
        where page.modifications.isEmpty && page.deletions.isEmpty && !page.moreComing {
            state.change { state in
                state.setZone(
                    zoneID, SyncState.Zone(token: page.token.text, isBehind: state[zoneID]?.isBehind ?? false))
            }
        }
    }

    /// Begins to look which zones are missing among those that are listed, and has zones kept that the app is about to be told
    /// of for the first time.
    func announce(_ page: DatabaseChangesOutcome) async {
        let zoneIDs = page.modifications
        state.change { state in
            state.noteZones(zoneIDs)
            state.beginListing()
        }
        guard !zoneIDs.isEmpty else { return }
        await reportState()
    }

    /// Adds to the last page of a database that is listed the deletions of what is known and was not listed: nobody says any
    /// more when it went.
    /// - Returns: what is still to be listed; nil if nothing is.
    func addMissing(to page: inout DatabaseChangesOutcome) -> Set<CKRecordZone.ID>? {
        guard var missing = state.read({ $0.unlisted }) else { return nil }
        missing.subtract(page.modifications)
        missing.subtract(page.deletions.map(\.zoneID))
        guard !page.moreComing else { return missing }
        page.deletions += missing.sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
            .map { ($0, .deleted) }
        return nil
    }

    /// Has records kept that the app is about to be told of for the first time.
    func announce(_ page: ZoneChangesOutcome) async {
        let records = page.modifications.compactMap { item in
            if case .success(let record) = item.1 { (record.recordID, record.recordType) } else { nil }
        }
        guard !records.isEmpty else { return }
        state.change { $0.noteRecords(records) }
        await reportState()
    }

    /// Adds to the last page of a zone the deletions of what the app has and no page told of.
    /// - Returns: what is still to be told of, with the type of each record.
    func addMissing(
        to page: inout ZoneChangesOutcome, of zoneID: CKRecordZone.ID
    ) -> [String: CKRecord.RecordType] {
        var missing = state.read { $0.unfollowed[zoneID] ?? [:] }
        for (recordID, _) in page.modifications { missing[recordID.recordName] = nil }
        for deletion in page.deletions { missing[deletion.recordID.recordName] = nil }
        guard !page.moreComing else { return missing }
        page.deletions += missing.sorted { $0.key < $1.key }.map { name, recordType in
            CKDatabase.RecordZoneChange.Deletion(
                recordID: CKRecord.ID(recordName: name, zoneID: zoneID), recordType: recordType)
        }
        return [:]
    }
}
