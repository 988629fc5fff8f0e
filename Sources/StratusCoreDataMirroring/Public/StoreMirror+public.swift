import Foundation
import StratusCloudKit
import StratusCoreData

// Pages of a public database, and the place up to which it is known.
extension StoreMirror {
    /// Makes the engine of a store of the public database, whose zone always exists.
    func makePublicEngine() throws -> PublicMirrorEngine {
        try changeZone(.default) { _, zone in zone.isSaved = true }
        let engine = PublicMirrorEngine(self)
        if controls == nil { engine.begin() }
        return engine
    }

    /// Finds out who is signed in before the setup ends. Without the network, the account stays the last one.
    func learnPublicAccount() async {
        guard plan.scope == .public else { return }
        do {
            let account = try await publicAccount()
            try await onQueue { try self.note(publicAccount: account) }
        } catch {
            // The first turn of the engine asks again, and reports what is wrong.
        }
    }

    /// Begins an event of an import, unless there is one. A look that finds nothing has none.
    func needImportEvent() {
        if state.withLock({ $0.importing == nil }) { beginImport() }
    }

    private func changePublicState(_ body: (MirrorTables, inout PublicMirrorState) throws -> Void) throws {
        try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            var state = try tables.publicState() ?? PublicMirrorState()
            try body(tables, &state)
            try tables.setPublicState(state)
        }
    }

    // MARK: - The feed

    /// Returns the token to continue the feed with; nil to list everything, also if the model has record types that the
    /// token is not about.
    func feedToken() throws -> CKServerChangeToken? {
        let state = try store.reading { try MirrorTables(transaction: $0).publicState() }
        guard let state, Set(state.recordTypes).isSuperset(of: model.recordTypes) else { return nil }
        return state.token
    }

    /// Begins a listing of the feed. Objects whose records do not come are deleted at its end.
    func beginPublicListing() throws {
        let types = model.recordTypes
        try changePublicState { _, state in
            state.token = nil
            state.recordTypes = types
        }
        try beginListing()
        needImportEvent()
    }

    /// Takes over a page, and notes how far the database is known afterwards.
    /// - Returns: Whether the zone is being listed.
    @discardableResult
    func take(_ page: PublicPage, _ note: (inout PublicMirrorState) -> Void) throws -> Bool {
        if !page.records.isEmpty || !page.deletions.isEmpty || !page.failures.isEmpty {
            MirroringDebug.note(page.records, deletions: page.deletions, of: store)
            needImportEvent()
            noteImportFailures(page.failures)
            try importPage(FetchedPage(zoneID: .default, records: page.records, deletions: page.deletions))
        }
        try changePublicState { _, state in note(&state) }
        return try store.reading { try MirrorTables(transaction: $0).findZone(.default)?.isListing ?? false }
    }

    /// Ends a fetch of the feed.
    /// - Parameter isListed: Whether everything was listed, so that all records that stay have come for the person who
    ///   is signed in.
    func endFeed(_ isListed: Bool) throws {
        try endImport(nil)
        if isListed { try changePublicState { _, state in state.hasRecordsOfFormerAccount = false } }
    }

    // MARK: - Queries

    /// Returns the dates to query from. If the server gets a feed later, that begins with a listing, which finds the
    /// deletions of the time without it.
    func queryDates() throws -> [String: Date] {
        var dates: [String: Date] = [:]
        try changePublicState { _, state in
            state.token = nil
            dates = state.dates
        }
        try changeZone(.default) { _, zone in zone.isListing = false }
        return dates
    }

    /// Takes over a page of a query in the order of modification dates.
    /// - Parameter date: The last date that was known before the query. Records up to it are taken only if they are not
    ///   known yet.
    func take(_ page: PublicPage, of type: String, since date: Date?) throws {
        var page = page
        let latest = page.records.compactMap(\.modificationDate).max()
        if let date {
            let session = try makeSession()
            page.records = try page.records.filter { record in
                if let modified = record.modificationDate, modified > date { return true }
                return try !session.knows(record)
            }
        }
        try take(page) { state in
            guard let latest else { return }
            state.dates[type] = max(latest, state.dates[type] ?? latest)
        }
    }
}

extension MirrorSession {
    /// Whether the record of an object or a link is known as it is.
    fileprivate func knows(_ record: CKRecord) throws -> Bool {
        let name = record.recordID.recordName
        guard let zone = zone(record.recordID.zoneID)?.number else { return false }
        if let link = try link(named: name, in: zone) {
            return link.export.server == Data((record.recordChangeTag ?? "").utf8)
        }
        guard let row = try self.record(named: name, exactlyIn: zone) else { return false }
        return try row.export.serverRecord()?.recordChangeTag == record.recordChangeTag
    }
}

extension MirroredModel {
    /// The types of all records, those of links last.
    var recordTypes: [String] {
        let types = Set(entities.values.map(\.recordType)).sorted()
        return entities.values.contains { !$0.links.isEmpty } ? types + [LinkedPair.recordType] : types
    }
}
