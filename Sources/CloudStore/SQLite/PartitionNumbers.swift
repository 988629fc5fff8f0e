import Workers

/// Remembers what the keys of a partition's rows begin with. Only what is committed is remembered.
final class PartitionNumbers: Sendable {
    private let prefixes = Lock<[Partition: [UInt8]]>([:])

    func prefix(of partition: Partition, _ reader: EntryReader) throws(StoreError) -> [UInt8]? {
        if let known = prefixes.withLock({ $0[partition] }) { return known }
        guard let number = try reader.number(of: partition) else { return nil }
        let prefix = RowKey.prefix(partition: number)
        remember(partition, prefix)
        return prefix
    }

    func remember(_ partition: Partition, _ prefix: [UInt8]) {
        prefixes.withLock { prefixes in
            // Begin anew rather than keep order: a miss is one look into a small table.
            if prefixes.count >= SQLiteLimits.rememberedPartitions { prefixes = [:] }
            prefixes[partition] = prefix
        }
    }
}
