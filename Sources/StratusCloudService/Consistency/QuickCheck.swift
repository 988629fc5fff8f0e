import StratusCloudModel
import StratusCloudStore

/// A look at one database that takes a moment, however much is in it: its zones, how many records it is counted to
/// hold, and a sample of records, index entries and assets, each held against what belongs to it.
struct QuickCheck: Sendable {
    let service: CloudService
    let database: Partition
    let context: CloudContext
    let schema: Schema
    let progress: CheckProgress

    func run(adding report: inout ConsistencyReport) async throws {
        let zones = try await service.store.read(database) { try CloudService.allZones(in: $0) }
        let authority = ReferenceAuthority(in: database, schema, context)
        let random = service.environment.random
        for (name, header) in zones.shuffled().prefix(ServiceLimits.sampledZones) where header.version > 0 {
            let sample = ZoneSample(
                schema: schema, zone: header, reserved: ReservedZones.kind(of: name), place: place(name),
                authority: authority, random: random)
            let outcome = try await service.store.read(database) { [progress] in try sample.take($0, progress) }
            report.records += outcome.records
            report.indexEntries += outcome.indexEntries
            report.add(outcome.findings)
        }
        if let finding = try await usageFinding() { report.add([finding]) }
        try await checkAssets(&report)
        try await service.store.read(database) { [service, schema, context] _ in
            try service.schemas.check(schema, of: context)
        }
    }

    private func place(_ zone: String) -> ConsistencyPlace {
        ConsistencyPlace(database: database.name, zone: zone, repairs: false)
    }

    /// Counts the names of records, which is quicker than reading them. Users have records, too, which no usage counts:
    /// all in the public database, the owner in a private one.
    private func usageFinding() async throws -> ConsistencyFinding? {
        let counts = try await service.store.read(database) { [progress] transaction -> (Int64, Int64)? in
            guard let usage: Usage = try transaction.value(at: Keyspace.usage),
                usage.records <= ServiceLimits.quicklyCountedRecords
            else { return nil }
            var (names, rows) = (Int64(0), 0)
            let range = KeyRange(prefix: Key([Keyspace.Tag.record.rawValue]))
            try transaction.forEach(in: range, limit: .max, reverse: false) { _, value in
                rows += 1
                if (try? NameEntry(stored: Array(value)))?.version != nil { names += 1 }
                return rows <= 2 * ServiceLimits.quicklyCountedRecords
            }
            progress.addRows(rows)
            return rows <= 2 * ServiceLimits.quicklyCountedRecords ? (names, usage.records) : nil
        }
        guard let (names, records) = counts else { return nil }
        let isPrivate = database.privateOwner(in: context) != nil
        guard names < records || isPrivate && names > records + 1 else { return nil }
        return place("").finding(.wrongUsage, ConsistencyCheck.usagePlace)
    }

    /// Looks at how large some assets are, and reads a few small ones.
    private func checkAssets(_ report: inout ConsistencyReport) async throws {
        let start = AssetID(sha256: service.environment.random.bytes(AssetID.length))
        var step = try await service.blobs(from: Keyspace.assetBlob(start), of: database)
        if step.blobs.isEmpty {
            step = try await service.blobs(from: Keyspace.assetBlobs.lower, of: database)
        }
        report.assets += step.blobs.count
        var damages = try await service.damages(of: step.blobs, in: database, hashing: false, progress)
        let small = step.blobs.filter { $0.blob.size <= ServiceLimits.sampledAssetSize }
        let sample = Array(small.prefix(ServiceLimits.sampledAssets))
        damages += try await service.damages(of: sample, in: database, hashing: true, progress).filter {
            !$0.isMissing
        }
        report.add(damages.map(place("").finding))
    }
}

extension CloudService {
    /// Looks at samples of as many databases as ``ServiceLimits/quickCheckTime`` allows, in random order.
    public func checkQuickly(_ progress: CheckProgress = CheckProgress()) async throws(CloudError) -> ConsistencyReport
    {
        var report = ConsistencyReport()
        let end = environment.now() + ServiceLimits.quickCheckTime
        for (context, database) in try await allDatabases().shuffled() {
            guard environment.now() < end else {
                report.databasesLeftOut += 1
                continue
            }
            report = try await withSchema(of: context, adding: report) { schema, report in
                try await QuickCheck(
                    service: self, database: database, context: context, schema: schema, progress: progress
                ).run(adding: &report)
            }
        }
        return report
    }
}
