import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Deletes for good what has been in Recently Deleted for its time, and gives up former contents and publications
    /// whose time is over. Safe at any time; what one run leaves, the next one takes up.
    /// - Returns: Items that were deleted, those in folders not counted.
    @discardableResult
    public func purgeFiles() async throws(CloudError) -> Int {
        var purged = 0
        var start = Key()
        while true {
            let range = KeyRange(lower: start, upper: Key().afterAllWithThisPrefix)
            let databases = try await reading(.assetDatabases) {
                try $0.entries(in: range, limit: AssetLimits.databasesPerStep)
            }
            for database in databases {
                if Task.isCancelled { return purged }
                purged += try await purgeFiles(of: Partition(String(decoding: database.key.bytes, as: UTF8.self)))
            }
            guard let last = databases.last, databases.count == AssetLimits.databasesPerStep else { return purged }
            start = last.key.next
        }
    }

    private func purgeFiles(of partition: Partition) async throws(CloudError) -> Int {
        guard let context = partition.databaseContext, let owner = partition.privateOwner(in: context) else { return 0 }
        let caller = Caller(context: context, principal: .administrator(actingAs: owner))
        let deletion = { (name: String) in RecordOperation(.forceDelete, RecordInput(recordName: name)) }
        let purged = try await carryOut(.deletion, in: FileFormat.zoneName, of: partition, as: caller, deletion)
        // Each save gives up what has expired.
        _ = try await carryOut(.version, in: FileFormat.zoneName, of: partition, as: caller) {
            FileChanges().update(of: $0)
        }
        _ = try await carryOut(.publication, in: PublicationFormat.zoneName, of: partition, as: caller, deletion)
        return purged
    }

    private func carryOut(
        _ due: FileDue, in zoneName: String, of partition: Partition, as caller: Caller,
        _ operation: (String) -> RecordOperation
    ) async throws(CloudError) -> Int {
        var done = 0
        while true {
            let now = environment.now()
            let names = try await reading(partition) { transaction -> [String] in
                guard let header = try ZoneHeader.find(zoneName, in: transaction) else { return [] }
                let range = Keyspace.filesDue(zone: header.number, due, until: now)
                return try transaction.entries(in: range, limit: ModelLimits.operationsPerRequest).compactMap {
                    Keyspace.fileDueRecordName($0.key)
                }
            }
            guard !names.isEmpty else { return done }
            let request = ModifyRecordsRequest(
                operations: names.map(operation), zoneID: ZoneID(zoneName: zoneName), atomic: false)
            let results = try await modifyRecords(request, in: .private, as: caller)
            let failed = results.count { if case .failed = $0 { true } else { false } }
            done += results.count - failed
            // One that was restored meanwhile is not due any more; anything else is left to the next run.
            if failed > 0 { return done }
        }
    }
}
