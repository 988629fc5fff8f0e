import CloudModel
import CloudStore

/// Carries what commits want of the directory from the partitions in which they say so: one after the other, so that what is
/// said later holds.
///
/// A commit cannot write to two partitions. What it leaves lies in its own until it is done, so a crash loses nothing.
actor DirectoryErrands {
    private var latest: Task<Void, any Error>?

    /// Runs when all that was begun before is over.
    func run(_ errand: @escaping @Sendable () async throws -> Void) async throws {
        let before = latest
        let task = Task {
            _ = await before?.result
            try await errand()
        }
        latest = task
        try await task.value
    }
}

extension CloudService {
    /// Does what commits of an owner left to be done in the directory.
    func runDirectoryErrands(of owner: SharedNewsDesk.Owner) async throws(CloudError) {
        do {
            try await directoryErrands.run {
                while try await self.directoryStep(of: owner) {}
            }
        } catch {
            throw cloudError(from: error)
        }
    }

    /// As ``runDirectoryErrands(of:)``, so that what a request did is to be seen when it is answered. What cannot be done now is
    /// done with the owner's news.
    func runDirectoryErrands(of owner: String, in context: CloudContext) async {
        do throws(CloudError) {
            try await runDirectoryErrands(of: SharedNewsDesk.Owner(context: context, userRecordName: owner))
        } catch {
            // Reported where it became a CloudError.
        }
    }

    /// - Returns: whether there may be more.
    private func directoryStep(of owner: SharedNewsDesk.Owner) async throws(CloudError) -> Bool {
        let range = Keyspace.directoryChanges
        let changes = try await reading(owner.partition) {
            try $0.entries(in: range, limit: ShareLimits.entriesPerStep)
        }
        guard !changes.isEmpty else { return false }
        try await writing(.directory) { transaction in
            for change in changes {
                let key = Keyspace.directoryKey(of: change.key)
                if change.value.isEmpty { transaction.clear(key) } else { transaction.set(key, change.value) }
            }
        }
        try await writing(owner.partition) { transaction in
            // What was said anew meanwhile is done next.
            for (change, value) in zip(changes, try transaction.get(changes.map(\.key))) where value == change.value {
                transaction.clear(change.key)
            }
        }
        return changes.count == ShareLimits.entriesPerStep
    }
}
