import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// Checks that records, names, indexes, references, counts and assets fit together, while the service goes on: what
/// belongs together is read in one snapshot.
extension CloudService {
    /// Checks all databases.
    /// - Parameter repairs: makes anew what is made of the records: indexes, references as their targets know them, and
    ///   what a database is counted to hold. Damaged records and lost assets cannot be.
    public func checkConsistency(repairing repairs: Bool) async throws(CloudError) -> ConsistencyReport {
        try await checkConsistency(repairing: repairs, namesPerStep: ServiceLimits.checkedNamesPerStep)
    }

    /// The same with another bound of what is in memory; see ``ServiceLimits/checkedNamesPerStep``.
    func checkConsistency(
        repairing repairs: Bool, namesPerStep: Int
    ) async throws(CloudError) -> ConsistencyReport {
        var report = ConsistencyReport()
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                for database in try await databases(of: context) {
                    report = try await check(
                        DatabaseInContext(partition: database, context: context, namesPerStep: namesPerStep),
                        repairs: repairs, adding: report)
                }
            }
        }
        return report
    }

    /// Begins anew when the schema changes meanwhile: what was found then may be right.
    private func check(
        _ database: DatabaseInContext, repairs: Bool, adding former: ConsistencyReport
    ) async throws(CloudError) -> ConsistencyReport {
        for _ in 0..<ServiceLimits.schemaAttempts {
            var report = former
            report.databases += 1
            let schema = try await schema(of: database.context)
            do {
                let zones = try await store.read(database.partition) { try Self.allZones(in: $0) }
                for (name, header) in zones {
                    let place = ConsistencyPlace(database: database.partition.name, zone: name, repairs: repairs)
                    try await check(header.number, schema, database, place, &report)
                }
                let place = ConsistencyPlace(database: database.partition.name, zone: "", repairs: repairs)
                try await checkTotals(of: database.partition, place, &report)
                let uses = AssetUseCheck(zones: Set(zones.map(\.header.number)), place: place)
                try await forEachStep(of: database, schema, place) {
                    try uses.step(from: $0, in: $1)
                } told: {
                    report.add($0.findings)
                }
                try await checkAssets(of: database, place, &report)
                try await store.read(database.partition) { [schemas] _ in
                    try schemas.check(schema, of: database.context)
                }
                return report
            } catch is SchemaCatalog.Outdated {
                continue
            } catch {
                throw cloudError(from: error)
            }
        }
        throw CloudError(.tryAgainLater, "the schema changes all the time; try again", retryAfter: 10)
    }

    private struct DatabaseInContext {
        let partition: Partition
        let context: CloudContext
        let namesPerStep: Int
    }

    private func check(
        _ zone: ZoneNumber, _ schema: Schema, _ database: DatabaseInContext, _ place: ConsistencyPlace,
        _ report: inout ConsistencyReport
    ) async throws {
        let isPublic = database.partition == .publicDatabase(of: database.context)
        let records = RecordCheck(
            schema: schema, zone: zone, place: place,
            authority: ReferenceAuthority(isPublic ? .public : .private, schema, database.context))
        try await forEachStep(of: database, schema, place) {
            try records.step(from: $0, in: $1)
        } told: {
            report.records += $0.count
            report.add($0.findings)
        }
        let names = NameCheck(zone: zone, place: place)
        try await forEachStep(of: database, schema, place) {
            try names.step(from: $0, in: $1)
        } told: {
            report.add($0.findings)
        }
        let entries = IndexEntryCheck(schema: schema, zone: zone, place: place)
        for tag in [Keyspace.Tag.index, .token, .cell] {
            try await forEachStep(of: database, schema, place) {
                try entries.step(tag, from: $0, in: $1)
            } told: {
                report.indexEntries += $0.count
                report.add($0.findings)
            }
        }
        let referrers = ReferrerCheck(zone: zone, place: place)
        try await forEachStep(of: database, schema, place) {
            try referrers.step(from: $0, in: $1)
        } told: {
            report.add($0.findings)
        }
        var next: String? = ""
        while let from = next {
            let wrong = try await store.read(database.partition) {
                try referrers.wrongCounts(from: from, atOnce: database.namesPerStep, in: $0)
            }
            if place.repairs {
                for target in wrong.targets {
                    try await store.write(database.partition) { try referrers.count(target, in: $0) }
                }
            }
            report.add(wrong.targets.map { place.finding(.wrongReferrers, "number of records that refer to '\($0)'") })
            next = wrong.next
        }
    }

    /// Runs a step in transactions of bounded size from the beginning of a range to its end.
    private func forEachStep(
        of database: DatabaseInContext, _ schema: Schema, _ place: ConsistencyPlace,
        _ step: @escaping @Sendable (Key?, StepTransaction) throws -> CheckStep, told: (CheckStep) -> Void
    ) async throws {
        var next: Key?
        repeat {
            let from = next
            let outcome: CheckStep
            if place.repairs {
                outcome = try await store.write(database.partition) { [schemas] transaction in
                    try schemas.check(schema, of: database.context)
                    return try step(from, StepTransaction(reading: transaction, writing: transaction))
                }
            } else {
                outcome = try await store.read(database.partition) {
                    try step(from, StepTransaction(reading: $0, writing: nil))
                }
            }
            told(outcome)
            next = outcome.next
        } while next != nil
    }

    private func checkTotals(
        of database: Partition, _ place: ConsistencyPlace, _ report: inout ConsistencyReport
    ) async throws {
        // Counting takes as long as there are records, so nobody's saves wait for it: it is written if it is still true.
        for _ in 0..<ServiceLimits.usageAttempts {
            guard let (stored, counted) = try await countedUsage(of: database), stored != counted else { return }
            guard place.repairs else { break }
            let isWritten = try await store.write(database) { transaction in
                let now: Usage? = try transaction.value(at: Keyspace.usage)
                guard now == stored else { return false }
                transaction.set(Keyspace.usage, counted)
                return true
            }
            if isWritten { return report.add([place.finding(.wrongUsage, "what it is counted to hold")]) }
        }
        var found = place
        found.repairs = false
        report.add([found.finding(.wrongUsage, "what it is counted to hold")])
    }

    /// What a database is said to hold and what it holds, at one moment; nil if it was never counted, or cannot be.
    private func countedUsage(of database: Partition) async throws -> (stored: Usage, counted: Usage)? {
        try await store.read(database) { transaction in
            guard let stored: Usage = try transaction.value(at: Keyspace.usage) else { return nil }
            do {
                return (stored, try UsageLedger.count(in: transaction))
            } catch is ByteReader.Malformed {
                // Of records that cannot be read nobody knows how much they hold; they were found already.
                return nil
            }
        }
    }

    private func checkAssets(
        of database: DatabaseInContext, _ place: ConsistencyPlace, _ report: inout ConsistencyReport
    ) async throws {
        let counts = AssetCountCheck(place: place, limit: database.namesPerStep)
        var next: Key? = Key()
        while let from = next {
            let range = try await store.read(database.partition) { try counts.range(from: from, in: $0) }
            report.assets += range.blobs.count
            report.add(range.findings)
            for (asset, blob) in range.blobs where blob.references > 0 {
                if let finding = try await checkBytes(asset, blob, of: database.partition, place) {
                    report.add([finding])
                }
            }
            next = range.next
        }
    }

    /// What is wrong with the bytes of an asset that records have.
    private func checkBytes(
        _ asset: AssetID, _ blob: StoredBlob, of database: Partition, _ place: ConsistencyPlace
    ) async throws -> ConsistencyFinding? {
        do throws(AssetStoreError) {
            let content = try await assets.content(of: blob.file, of: AssetOwner(database))
            if content.size == blob.size { return nil }
            return place.finding(
                .missingAsset, "asset \(asset.fileChecksum) has \(content.size) bytes, not \(blob.size)")
        } catch {
            guard error.code == .missing else { throw error }
            // It may have lost its last record meanwhile, and its time be over.
            let now: StoredBlob? = try await store.read(database) { try $0.value(at: Keyspace.assetBlob(asset)) }
            guard let now, now.references > 0, now.file == blob.file else { return nil }
            return place.finding(.missingAsset, "asset \(asset.fileChecksum) is not there")
        }
    }
}

/// What one transaction of a check came to.
struct CheckStep: Sendable {
    var findings: [ConsistencyFinding] = []
    /// What was looked at.
    var count = 0
    /// Where to go on; nil at the end.
    var next: Key?
}

extension ReadTransaction {
    /// The records of some names, those left out that are not there or cannot be read: these are found by themselves.
    func readableRecords(_ names: some Collection<String>, in zone: ZoneNumber) throws -> [String: StoredRecord] {
        let rows = try get(names.map { Keyspace.record(zone: zone, name: $0) })
        var live: [(name: String, version: UInt64)] = []
        for (name, row) in zip(names, rows) {
            if let version = row.flatMap({ try? NameEntry(stored: $0) })?.version { live.append((name, version)) }
        }
        var records: [String: StoredRecord] = [:]
        for ((name, version), bytes) in zip(live, try get(live.map { Keyspace.version(zone: zone, $0.version) })) {
            records[name] = bytes.flatMap { try? StoredRecord(stored: $0, version: version) }
        }
        return records
    }
}

/// The transaction of a step, with its other side where there is something to repair with.
struct StepTransaction {
    let reading: any ReadTransaction
    let writing: (any WriteTransaction)?
}
