import StratusWorkers

/// Remembers what the keys of a partition's rows begin with. What a commit made that failed must be forgotten.
final class PartitionNumbers: Sendable {
    private static let rememberedPartitions = 65_536

    private let prefixes = Lock<[Partition: [UInt8]]>([:])

    /// What is remembered, or else what `read` finds.
    func prefix(
        of partition: Partition, _ read: (Partition) throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> [UInt8]? {
        if let known = prefixes.withLock({ $0[partition] }) { return known }
        guard let prefix = try read(partition) else { return nil }
        remember(partition, prefix)
        return prefix
    }

    func remember(_ partition: Partition, _ prefix: [UInt8]) {
        prefixes.withLock { prefixes in
            // Begin anew rather than keep order: a miss is one look into a small table.
            if prefixes.count >= Self.rememberedPartitions { prefixes = [:] }
            prefixes[partition] = prefix
        }
    }

    /// Forgets everything, to be read again.
    func forgetAll() { prefixes.withLock { $0 = [:] } }
}
