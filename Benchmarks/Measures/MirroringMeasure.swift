import CloudKit
import CoreData
import Glibc

/// Objects of mirrored stores beside the plain operations with as many records of the same size, and from one device to
/// another.
struct MirroringMeasure {
    let bench: Bench

    private static let title = "mirroring"
    private static let greatestRatio = 2.5
    private static let greatestDelay = 1_500.0
    private static let edits = 100
    private static let zoneID = CKRecordZone.ID(zoneName: "com.apple.coredata.cloudkit.zone")

    private var count: Int { bench.settings.isQuick ? 10_000 : 100_000 }

    func findings() throws -> [Finding] {
        let fresh = try bench.freshStratus(.development)
        defer { fresh.remove() }
        return try transfer(fresh.server) + delay(fresh.server)
    }

    // MARK: Many objects

    private struct Times {
        var export: [Double] = []
        var `import`: [Double] = []
        var growth = 0.0
    }

    private func transfer(_ server: Stratus) throws -> [Finding] {
        var (mirrored, plain) = (Times(), Times())
        let database = CKContainer(
            identifier: StratusData.container, transport: try HTTPCloudTransport(to: server), keyStore: MemoryKeyStore()
        ).privateCloudDatabase
        for round in 0..<bench.settings.rounds {
            Progress.say("mirroring, round \(round + 1) of \(bench.settings.rounds)")
            try mirror(server, &mirrored)
            _ = try waiting { try await database.deleteRecordZone(withID: Self.zoneID) }
            try operate(database, &plain)
            _ = try waiting { try await database.deleteRecordZone(withID: SmallRecords.zoneID) }
        }
        return compared("exported", mirrored.export, "CKModifyRecordsOperation", plain.export)
            + compared("imported", mirrored.import, "CKFetchRecordZoneChangesOperation", plain.import, mirrored.growth)
    }

    private func compared(
        _ what: String, _ own: [Double], _ operation: String, _ plain: [Double], _ growth: Double? = nil
    ) -> [Finding] {
        let each = 1e6 / Double(count)
        let base = Finding(Self.title, "\(count) records, \(operation)", median(plain) * each, "µs/record")
        let finding = Finding(Self.title, "\(count) objects \(what)", median(own) * each, "µs/object")
            .compared(to: base, operation)
            .noted(growth.map { "memory grew by \(Table.number($0)) MiB at most" })
        return [base, finding.judged("≤ 2.5 × \(operation)", finding.ratio ?? .infinity <= Self.greatestRatio)]
    }

    private func mirror(_ server: Stratus, _ times: inout Times) throws {
        let sender = try MirroredNotes(server, "sender", in: bench.directory, isAutomatic: false)
        let receiver = try MirroredNotes(server, "receiver", in: bench.directory, isAutomatic: false)
        try sender.insert(count)
        let (source, target) = (sender.container, receiver.container)
        times.export.append(try seconds { await source.synchronizeMirrors() })
        try ProcessTree.resetPeak(getpid())
        let before = ProcessTree.residentSize(getpid())
        times.import.append(try seconds { await target.synchronizeMirrors() })
        times.growth = max(times.growth, ProcessTree.peakSize(getpid()) - before)
        let found = try receiver.count()
        guard found == count else { throw BenchmarkError("\(found) objects came of \(count)") }
    }

    private func operate(_ database: CKDatabase, _ times: inout Times) throws {
        let count = count
        _ = try waiting { try await database.save(CKRecordZone(zoneID: SmallRecords.zoneID)) }
        times.export.append(
            try seconds {
                for start in stride(from: 0, to: count, by: SmallRecords.batch) {
                    let end = min(start + SmallRecords.batch, count)
                    let results = try await database.modifyRecords(
                        saving: (start..<end).map { SmallRecords.record($0) }, deleting: [], atomically: false)
                    for (_, result) in results.saveResults { _ = try result.get() }
                }
            })
        times.import.append(
            try seconds {
                var (token, found, isMore) = (CKServerChangeToken?.none, 0, true)
                while isMore {
                    let changes = try await database.recordZoneChanges(inZoneWith: SmallRecords.zoneID, since: token)
                    found += changes.modificationResultsByID.count
                    (token, isMore) = (changes.changeToken, changes.moreComing)
                }
                guard found == count else { throw BenchmarkError("\(found) records came of \(count)") }
            })
    }

    private func seconds(_ body: @escaping @Sendable () async throws -> Void) throws -> Double {
        let start = Clock.now()
        try waiting(body)
        return Clock.seconds(since: start)
    }

    // MARK: From one device to another

    private func delay(_ server: Stratus) throws -> [Finding] {
        Progress.say("mirroring: \(Self.edits) objects from one device to another")
        let here = try MirroredNotes(server, "here", in: bench.directory, isAutomatic: true)
        let there = try MirroredNotes(server, "there", in: bench.directory, isAutomatic: true)
        let (source, target) = (here.container, there.container)
        let delays = try waiting {
            var delays: [Double] = []
            for number in 0...Self.edits {
                let start = Clock.now()
                try await source.performBackgroundTask { context in
                    MirroredNotes.insert(1_000_000 + number, in: context)
                    try context.save()
                }
                try await MirroredNotes.wait(for: "Note \(1_000_000 + number)", in: target)
                // Before the first one both begin.
                if number > 0 { delays.append(Clock.seconds(since: start) * 1_000) }
            }
            return delays.sorted()
        }
        withExtendedLifetime((here, there)) {}
        var finding = Finding(Self.title, "save() here to the object there", delays[delays.count / 2], "ms")
        (finding.p50, finding.p99) = (finding.value, delays[delays.count * 99 / 100])
        return [finding.judged("p99 < 1.5 s", finding.p99 ?? .infinity < Self.greatestDelay)]
    }
}
