import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Forgets what was deleted, left a share or was stopped being shared longer ago than the retention time, in all
    /// databases, and clears what a crash left of deleted zones. Tokens that would have to be told of it
    /// are refused from then on.
    ///
    /// Works in transactions of ``ServiceLimits/purgedTombstonesPerStep`` tombstones each, and may be cancelled between
    /// them.
    /// - Returns: how many tombstones, of records and zones, are gone.
    @discardableResult
    public func purgeTombstones() async throws(CloudError) -> Int {
        var purged = 0
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                guard !Task.isCancelled else { return purged }
                purged += try await purgeTombstones(in: .publicDatabase(of: context))
                for name in try await userRecordNames(in: context) where !Task.isCancelled {
                    purged += try await purgeTombstones(in: .privateDatabase(of: name, in: context))
                    purged += try await purgeSharedTombstones(in: .sharedDatabase(of: name, in: context))
                }
            }
        }
        return purged
    }

    /// As ``purgeTombstones()``, of one database.
    func purgeTombstones(in partition: Partition) async throws(CloudError) -> Int {
        let latest = environment.now() - tombstoneRetention
        let expired = try await reading(partition) { try TombstonePurge.expired(before: latest, in: $0) }
        var purged = 0
        for zone in expired.zones {
            purged += try await repeated(partition) { transaction in
                try TombstonePurge.recordStep(of: zone, before: latest, in: transaction)
            }
        }
        for zone in expired.sharedZones {
            for share in try await reading(partition, { try SharePurge.expired(of: zone, before: latest, in: $0) }) {
                purged += try await repeated(partition) { transaction in
                    try SharePurge.step(of: share, in: zone, before: latest, transaction)
                }
            }
        }
        if expired.hasDatabaseEntries {
            purged += try await repeated(partition) { try TombstonePurge.databaseStep(before: latest, in: $0) }
        }
        if expired.hasDeletedZones { try await clearDeletedZones(in: partition) }
        return purged
    }

    /// As ``purgeTombstones()``, of what others shared with a user.
    func purgeSharedTombstones(in partition: Partition) async throws(CloudError) -> Int {
        let latest = environment.now() - tombstoneRetention
        guard try await reading(partition, { try TombstonePurge.hasExpiredZones(before: latest, in: $0) }) else {
            return 0
        }
        return try await repeated(partition) { transaction in
            try TombstonePurge.databaseStep(before: latest, in: transaction) { name in
                try SharePurge.forget(name, in: transaction)
            }
        }
    }

    /// Runs a step until it finds less than it could take.
    private func repeated(
        _ partition: Partition, _ step: @escaping @Sendable (any WriteTransaction) throws -> Int
    ) async throws(CloudError) -> Int {
        var sum = 0
        while !Task.isCancelled {
            let count = try await writing(partition, step)
            sum += count
            if count < ServiceLimits.purgedTombstonesPerStep { break }
        }
        return sum
    }

    /// All users that ever signed in to a context.
    func userRecordNames(in context: CloudContext) async throws(CloudError) -> [String] {
        try await reading(.directory) { transaction in
            try transaction.entries(in: DirectoryKey.users(in: context), limit: .max)
                .map { String(decoding: $0.value, as: UTF8.self) }
        }
    }
}

/// The transactions of a purge.
private enum TombstonePurge {
    struct Expired: Sendable {
        /// Names of zones with tombstones of records.
        var zones: [String]
        /// Names of zones of which something is or was shared.
        var sharedZones: [String]
        /// Tombstones of zones, or past histories.
        var hasDatabaseEntries: Bool
        /// Zones whose contents were not cleared to the end.
        var hasDeletedZones: Bool
    }

    /// What there is to purge: so that a database without writes nothing.
    static func expired(before latest: Int64, in transaction: any ReadTransaction) throws -> Expired {
        let all = try CloudService.allZones(in: transaction)
        let zones = try all.filter { zone in
            let kept = kept(Keyspace.prefix(.tombstone, zone: zone.header.number), after: zone.header.purgedVersion)
            return try first(TombstoneEntry.self, in: kept, transaction).map { $0.deleted <= latest } ?? false
        }
        return Expired(
            zones: zones.map(\.name), sharedZones: all.filter { $0.header.sharing.latest > 0 }.map(\.name),
            hasDatabaseEntries: try hasExpiredZones(before: latest, in: transaction),
            hasDeletedZones: try !transaction.entries(in: Keyspace.deletedZones, limit: 1).isEmpty)
    }

    /// Whether tombstones of zones, or past histories, are to go.
    static func hasExpiredZones(before latest: Int64, in transaction: any ReadTransaction) throws -> Bool {
        let purgedVersion = try DatabaseCounters.read(in: transaction).purgedVersion
        let keptZones = kept(Keyspace.prefix(.zoneTombstone), after: purgedVersion)
        if let zone = try first(ZoneTombstone.self, in: keptZones, transaction), zone.deleted <= latest { return true }
        return try first(PastHistory.self, in: histories, transaction).map { $0.ended <= latest } ?? false
    }

    private static let histories = KeyRange(prefix: Keyspace.prefix(.history).key)

    /// The entries of a range numbered by version that are still there. What was cleared before them is not gone over
    /// again, which would cost a purge in many steps time with the square of their number.
    private static func kept(_ prefix: TupleEncoder, after purgedVersion: UInt64) -> KeyRange {
        KeyRange(lower: prefix.key(purgedVersion + 1), upper: KeyRange(prefix: prefix.key).upper)
    }

    private static func first<Value: StoredValue>(
        _ type: Value.Type, in range: KeyRange, _ transaction: any ReadTransaction
    ) throws -> Value? {
        try transaction.entries(in: range, limit: 1).first.map { try Value(stored: $0.value) }
    }

    /// The oldest tombstones of a zone.
    static func recordStep(
        of name: String, before latest: Int64, in transaction: any WriteTransaction
    ) throws -> Int {
        guard var header = try ZoneHeader.find(name, in: transaction) else { return 0 }
        let prefix = Keyspace.prefix(.tombstone, zone: header.number)
        let kept = kept(prefix, after: header.purgedVersion)
        let entries = try oldest(TombstoneEntry.self, in: kept, under: prefix.key, transaction) {
            $0.deleted <= latest
        }
        for (key, version, tombstone) in entries {
            transaction.clear(key)
            // Names of default zones are cleared with their records, and may be in use again.
            if !tombstone.isReplaced, name != ZoneID.defaultZoneName {
                transaction.clear(Keyspace.record(zone: header.number, name: tombstone.recordName))
            }
            header.purgedVersion = version
        }
        if !entries.isEmpty { transaction.set(Keyspace.zone(name), header) }
        return entries.count
    }

    /// The oldest tombstones of zones, and past histories.
    /// - Parameter forget: what else goes with a zone's name.
    static func databaseStep(
        before latest: Int64, in transaction: any WriteTransaction, forget: (String) throws -> Void = { _ in }
    ) throws -> Int {
        var counters = try DatabaseCounters.read(in: transaction)
        let prefix = Keyspace.prefix(.zoneTombstone)
        let kept = kept(prefix, after: counters.purgedVersion)
        let zones = try oldest(ZoneTombstone.self, in: kept, under: prefix.key, transaction) { $0.deleted <= latest }
        for (key, version, tombstone) in zones {
            transaction.clear(key)
            transaction.clear(Keyspace.deletedName(tombstone.zoneName))
            try forget(tombstone.zoneName)
            counters.purgedVersion = version
        }
        if !zones.isEmpty { transaction.set(Keyspace.counters, counters) }
        let histories = try oldest(
            PastHistory.self, in: Self.histories, under: Keyspace.prefix(.history).key, transaction
        ) { $0.ended <= latest }
        for history in histories { transaction.clear(history.key) }
        return zones.count
    }

    /// The first entries of a range that are old enough, up to one that is not: the order of versions is that of time,
    /// but for a clock that was set back, which only keeps some longer.
    private static func oldest<Value: StoredValue>(
        _ type: Value.Type, in range: KeyRange, under prefix: Key, _ transaction: any ReadTransaction,
        while isOld: (Value) -> Bool
    ) throws -> [(key: Key, version: UInt64, value: Value)] {
        var found: [(key: Key, version: UInt64, value: Value)] = []
        for entry in try transaction.entries(in: range, limit: ServiceLimits.purgedTombstonesPerStep) {
            let value = try Value(stored: entry.value)
            var decoder = TupleDecoder(entry.key, skipping: prefix.bytes.count)
            guard let version = decoder.unsigned() else { throw ByteReader.Malformed() }
            guard isOld(value) else { break }
            found.append((entry.key, version, value))
        }
        return found
    }
}
