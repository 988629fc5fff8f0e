import StratusCloudStore
import StratusWorkers

/// The databases of which this process knows that the collection looks at them.
final class RegisteredAssetDatabases: Sendable {
    private let partitions = Lock<Set<Partition>>([])

    func contains(_ partition: Partition) -> Bool { partitions.withLock { $0.contains(partition) } }

    func insert(_ partition: Partition) {
        partitions.withLock { partitions in
            if partitions.count >= AssetLimits.rememberedDatabases { partitions = [] }
            partitions.insert(partition)
        }
    }
}
