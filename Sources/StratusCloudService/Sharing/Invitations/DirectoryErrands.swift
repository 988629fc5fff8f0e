import StratusCloudModel
import StratusCloudStore

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
    /// Does what commits in an owner's partition left to be done in the directory.
    func runDirectoryErrands(in partition: Partition) async throws(CloudError) {
        do {
            try await directoryErrands.run {
                while try await self.directoryStep(of: partition) {}
            }
        } catch {
            throw cloudError(from: error)
        }
    }

    /// As ``runDirectoryErrands(in:)``, so that what a request did is to be seen when it is answered. What cannot be done now is
    /// done with the owner's news, or at the next start.
    func tryDirectoryErrands(in partition: Partition) async {
        do throws(CloudError) {
            try await runDirectoryErrands(in: partition)
        } catch {
            // Reported where it became a CloudError.
        }
    }

    /// - Returns: whether there may be more.
    private func directoryStep(of partition: Partition) async throws(CloudError) -> Bool {
        let range = Keyspace.directoryChanges
        let changes = try await reading(partition) {
            try $0.entries(in: range, limit: ShareLimits.entriesPerStep)
        }
        guard !changes.isEmpty else { return false }
        try await writing(.directory) { transaction in
            for change in changes {
                let key = Keyspace.directoryKey(of: change.key)
                if change.value.isEmpty { transaction.clear(key) } else { transaction.set(key, change.value) }
            }
        }
        try await writing(partition) { transaction in
            // What was said anew meanwhile is done next.
            for (change, value) in zip(changes, try transaction.get(changes.map(\.key))) where value == change.value {
                transaction.clear(change.key)
            }
        }
        return changes.count == ShareLimits.entriesPerStep
    }
}
