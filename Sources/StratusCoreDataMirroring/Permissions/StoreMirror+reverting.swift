import StratusCloudKit

// Changes that the person has no right to make are taken back.
extension StoreMirror {
    /// Gives objects whose changes the server has forbidden the state that the server has: a changed object gets its
    /// former values, a deleted one comes back, and a new one is deleted.
    ///
    /// The changes wait in the tables until that is done, so that after an interruption they are sent, forbidden and taken
    /// back once more.
    /// - Returns: Whether nothing is left to take back.
    func revertForbidden(for engine: any MirrorEngine) async -> Bool {
        let forbidden = state.withLock { state in
            defer { state.forbidden = [] }
            return state.forbidden
        }
        guard !forbidden.isEmpty else { return true }
        do {
            let pages = try await serverRecords(forbidden).map { page in
                var page = page
                page.reverts = Set(forbidden.filter { $0.zoneID == page.zoneID }.map(\.recordName))
                return page
            }
            await controls?.reach("revert")
            guard isCurrent(engine) else { return false }
            return await work(for: engine) { try pages.forEach { try self.importPage($0) } } != nil
        } catch {
            await work(for: engine) { self.noteExportError(error) }
            return false
        }
    }

    /// Fetches records as the server has them, a page for each zone. Those that it does not have are among the
    /// deletions.
    func serverRecords(_ recordIDs: [CKRecord.ID]) async throws -> [FetchedPage] {
        var pages: [CKRecordZone.ID: FetchedPage] = [:]
        let database = plan.container.database(with: plan.scope)
        for (recordID, result) in try await database.records(for: recordIDs) {
            let zoneID = recordID.zoneID
            switch result {
            case .success(let record): pages[zoneID, default: FetchedPage(zoneID: zoneID)].records.append(record)
            case .failure(let error) where CKError(any: error).code == .unknownItem:
                pages[zoneID, default: FetchedPage(zoneID: zoneID)].deletions.append(recordID)
            case .failure(let error): throw error
            }
        }
        return Array(pages.values)
    }
}
