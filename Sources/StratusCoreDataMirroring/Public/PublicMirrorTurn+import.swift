import Foundation
import StratusCloudKit
import StratusCoreData

// Fetching.
extension PublicMirrorTurn {
    /// Fetches everything that has changed: from the server's feed, or with queries where it has none.
    func importChanges(_ account: String?) async throws -> SyncOutcome {
        if engine.needsImportEvent { try await onStore("import begin") { mirror.needImportEvent() } }
        do {
            let interval: Duration
            do {
                try await fetchFeed(account)
                interval = PublicMirrorLimits.feedInterval
            } catch is CKDatabase.PublicChangesUnavailable {
                try await query(account)
                interval = PublicMirrorLimits.queryInterval
            }
            engine.noteImport(true, next: interval)
            return .done
        } catch let error as Interrupted {
            throw error
        } catch {
            try await onStore("import failed") {
                mirror.needImportEvent()
                try mirror.endImport(error)
            }
            engine.noteImport(false, next: PublicMirrorLimits.queryInterval)
            return Self.outcome(of: error)
        }
    }

    // MARK: - The feed

    private func fetchFeed(_ account: String?) async throws {
        var token = try await onStore("feed") { try mirror.feedToken() }
        var isListed = false
        var moreComing = true
        while moreComing {
            let (page, next): (PublicPage, CKServerChangeToken)
            do {
                (page, next, moreComing) = try await feedPage(since: token)
            } catch  where CKError(any: error).code == .changeTokenExpired && token != nil {
                token = nil
                continue
            }
            try await check(account)
            // Not before the server has shown that it has a feed: without one nothing would end the listing.
            if token == nil { try await onStore("listing") { try mirror.beginPublicListing() } }
            isListed = try await onStore("page") { try mirror.take(page) { $0.token = next } }
            token = next
        }
        let isComplete = isListed
        try await onStore("feed end") { try mirror.endFeed(isComplete) }
    }

    private func feedPage(since token: CKServerChangeToken?) async throws -> (PublicPage, CKServerChangeToken, Bool) {
        let page = try await database.publicChanges(since: token, recordTypes: mirror.model.recordTypes)
        let records = page.modificationResultsByID.mapValues { $0.map(\.record) }
        return (PublicPage(records, deletions: page.deletions.map(\.recordID)), page.changeToken, page.moreComing)
    }

    // MARK: - Queries

    /// Queries all record types for what was saved since the last time. Deletions are not found.
    private func query(_ account: String?) async throws {
        let dates = try await onStore("query") { try mirror.queryDates() }
        var failures: [String: any Error] = [:]
        for type in mirror.model.recordTypes {
            do {
                try await query(type, since: dates[type], account)
            } catch let error as Interrupted {
                throw error
            } catch {
                let failure = CKError(any: error)
                // Nobody has saved a record of the type yet.
                if failure.code == .unknownItem { continue }
                guard !failure.isTransient else { throw error }
                failures[type] = error
            }
        }
        if let error = MirroringError.ofQueries(failures) { throw error }
        try await onStore("query end") { try mirror.endImport(nil) }
    }

    private func query(_ type: String, since date: Date?, _ account: String?) async throws {
        let start = date?.addingTimeInterval(-PublicMirrorLimits.queryOverlap) ?? Date(timeIntervalSince1970: 0)
        let query = CKQuery(
            recordType: type, predicate: NSPredicate(format: "modificationDate >= %@", start as NSDate))
        query.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: true)]
        var (matches, cursor) = try await database.records(matching: query)
        while true {
            try await check(account)
            let page = PublicPage(Dictionary(matches, uniquingKeysWith: { first, _ in first }))
            try await onStore("page") { try mirror.take(page, of: type, since: date) }
            guard let next = cursor else { return }
            (matches, cursor) = try await database.records(continuingMatchFrom: next)
        }
    }
}

/// Records of a public database that were fetched together.
struct PublicPage: Sendable {
    var records: [CKRecord] = []
    var deletions: [CKRecord.ID] = []
    var failures: [RecordFailure] = []

    init(_ results: [CKRecord.ID: Result<CKRecord, any Error>], deletions: [CKRecord.ID] = []) {
        self.deletions = deletions
        for (recordID, result) in results {
            switch result {
            case .success(let record): records.append(record)
            case .failure(let error): failures.append(RecordFailure(recordID: recordID, object: nil, error: error))
            }
        }
    }
}
