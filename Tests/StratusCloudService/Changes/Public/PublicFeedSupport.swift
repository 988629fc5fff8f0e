import StratusCloudModel
import StratusCloudStore
import StratusTestSupport

@testable import StratusCloudService

extension TestCloud {
    var publicDatabase: Partition { .publicDatabase(of: context) }

    func publicPage(
        since token: String? = nil, limit: Int? = nil, types: [String]? = nil, in scope: DatabaseScope = .public,
        as caller: Caller? = nil
    ) async throws -> ZoneChangesPage {
        try await service.publicChanges(
            PublicChangesRequest(syncToken: token, resultsLimit: limit, desiredRecordTypes: types), in: scope,
            as: caller ?? anonymous)
    }

    /// All pages from a token on.
    func publicChanges(
        since token: String? = nil, limit: Int? = nil, as caller: Caller? = nil
    ) async throws -> (names: [String], token: String) {
        var names: [String] = []
        var next = token
        var turns = PageTurns()
        while true {
            let page = try await publicPage(since: next, limit: limit, as: caller)
            names += page.names
            guard page.moreComing else { return (names, page.syncToken) }
            try turns.turn(to: page.syncToken)
            next = page.syncToken
        }
    }

    func publish(_ operations: [RecordOperation], as caller: Caller? = nil) async throws {
        for result in try await modify(operations, in: .public, as: caller) {
            if let error = result.error { throw error }
        }
    }

    /// A service over a copy of the public database and what it needs.
    func withCopyOfPublicDatabase() async throws -> TestCloud {
        var backup = Backup()
        for partition in [Partition.directory, .context(context), publicDatabase] {
            backup.partitions[partition] = try await store.read(partition) { transaction in
                try transaction.entries(in: KeyRange(prefix: Key([])), limit: .max)
            }
        }
        return try await restored(from: backup)
    }
}
