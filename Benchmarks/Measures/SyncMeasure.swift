import CloudKit
import Glibc

/// Sync engines beside the plain operations, at rest, and from one device to another.
struct SyncMeasure {
    let bench: Bench

    private static let greatestRatio = 2.5
    private static let greatestDelay = 250.0
    /// Wake-ups of a minute: those of a long poll that is answered and asked again, in all threads.
    private static let mostWakeUps = 30
    static let edits = 40
    /// What an engine waits for more to send.
    private static let debounce = 0.25
    private static let page = 200

    func findings() throws -> [Finding] {
        let fresh = try bench.freshStratus(.development)
        defer { fresh.remove() }
        return try transfer(fresh.server) + delay(fresh.server) + keyValueDelay(fresh.server) + idle(fresh.server)
    }

    // MARK: 10,000 records

    private func transfer(_ server: Stratus) throws -> [Finding] {
        var (engine, plain) = ([Double](), [Double]())
        var (enginePeak, plainPeak) = (0.0, 0.0)
        let database = CKContainer(
            identifier: StratusData.container, transport: try HTTPCloudTransport(to: server), keyStore: MemoryKeyStore()
        ).privateCloudDatabase
        for round in 0...bench.settings.rounds {
            Progress.say("sync, round \(round) of \(bench.settings.rounds)")
            _ = try waiting { try await database.save(CKRecordZone(zoneID: SmallRecords.zoneID)) }
            let sender = try SyncDevice(server, "sender", automatically: false)
            let receiver = try SyncDevice(server, "receiver", automatically: false)
            let ours = try Self.measured { try waiting { try await Self.synchronize(sender, receiver) } }
            try Self.empty(database)
            let theirs = try Self.measured { try waiting { try await Self.operate(database) } }
            _ = try waiting { try await database.deleteRecordZone(withID: SmallRecords.zoneID) }
            // The first makes types, connections and memory known.
            guard round > 0 else { continue }
            engine.append(ours.seconds)
            plain.append(theirs.seconds)
            (enginePeak, plainPeak) = (max(enginePeak, ours.growth), max(plainPeak, theirs.growth))
        }
        let each = 1e6 / Double(SmallRecords.count)
        let base = Finding("sync", "10,000 records, plain operations", median(plain) * each, "µs/record")
            .noted("memory grew by \(Table.number(plainPeak)) MiB at most")
        let own = Finding("sync", "10,000 records, two engines", median(engine) * each, "µs/record")
            .noted("memory grew by \(Table.number(enginePeak)) MiB at most").compared(to: base, "plain operations")
        return [base, own.judged("≤ 2.5 × plain operations", own.ratio ?? .infinity <= Self.greatestRatio)]
    }

    private static func synchronize(_ sender: SyncDevice, _ receiver: SyncDevice) async throws {
        try sender.engine().state.add(
            pendingRecordZoneChanges: (0..<SmallRecords.count).map { .saveRecord(SmallRecords.id($0)) })
        try await sender.engine().sendChanges()
        try await receiver.engine().fetchChanges()
        guard receiver.fetched == SmallRecords.count else {
            throw BenchmarkError("\(receiver.fetched) records came of \(SmallRecords.count)")
        }
    }

    private static func operate(_ database: CKDatabase) async throws {
        for start in stride(from: 0, to: SmallRecords.count, by: SmallRecords.batch) {
            let end = min(start + SmallRecords.batch, SmallRecords.count)
            let results = try await database.modifyRecords(
                saving: (start..<end).map { SmallRecords.record($0) }, deleting: [], atomically: false)
            for (_, result) in results.saveResults { _ = try result.get() }
        }
        var (token, count, isMore) = (CKServerChangeToken?.none, 0, true)
        while isMore {
            let changes = try await database.recordZoneChanges(inZoneWith: SmallRecords.zoneID, since: token)
            count += changes.modificationResultsByID.count
            (token, isMore) = (changes.changeToken, changes.moreComing)
        }
        guard count == SmallRecords.count else { throw BenchmarkError("\(count) records came") }
    }

    private static func empty(_ database: CKDatabase) throws {
        try waiting {
            try await database.deleteRecordZone(withID: SmallRecords.zoneID)
            try await database.save(CKRecordZone(zoneID: SmallRecords.zoneID))
        }
    }

    private static func measured(_ body: () throws -> Void) throws -> (seconds: Double, growth: Double) {
        try ProcessTree.resetPeak(getpid())
        let before = ProcessTree.residentSize(getpid())
        let start = Clock.now()
        try body()
        return (Clock.seconds(since: start), ProcessTree.peakSize(getpid()) - before)
    }

    // MARK: From one device to another

    private func delay(_ server: Stratus) throws -> [Finding] {
        Progress.say("sync: \(Self.edits) edits from one device to another")
        let here = try SyncDevice(server, "here", automatically: true)
        let there = try SyncDevice(server, "there", automatically: true)
        let delays = try waiting {
            await here.waitForFirstSynchronization()
            await there.waitForFirstSynchronization()
            try here.engine().state.add(
                pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: SmallRecords.zoneID))])
            try await here.engine().sendChanges()
            var delays: [Double] = []
            for number in 0..<Self.edits {
                let start = Clock.now()
                try here.engine().state.add(pendingRecordZoneChanges: [.saveRecord(SmallRecords.id(number))])
                await there.wait(untilFetched: number + 1)
                delays.append((Clock.seconds(since: start) - Self.debounce) * 1_000)
            }
            return delays.sorted()
        }
        let (median, late) = (delays[delays.count / 2], delays[delays.count * 9 / 10])
        var finding = Finding("sync", "edit here to event there", median, "ms")
        (finding.p50, finding.p99) = (median, delays[delays.count * 99 / 100])
        finding.note =
            "beyond the 250 ms that changes are gathered; from \(Table.number(delays[0])), one in ten "
            + "\(Table.number(late)) ms or more"
        return [finding.judged("median < 250 ms", median < Self.greatestDelay)]
    }

    // MARK: At rest

    private func idle(_ server: Stratus) throws -> [Finding] {
        let seconds: UInt32 = bench.settings.isQuick ? 15 : 60
        sleep(2)
        Progress.say("sync: no engine, \(seconds) s")
        // Swift's tasks run on threads that a timer of theirs looks after once a second, whatever else there is.
        let without = Self.wakeUps(in: seconds)
        let device = try SyncDevice(server, "idle", automatically: true)
        try waiting { await device.waitForFirstSynchronization() }
        sleep(2)
        Progress.say("sync: an idle engine, \(seconds) s")
        let cpu = Clock.processSeconds()
        let with = Self.wakeUps(in: seconds)
        let note =
            "\(with) wake-ups, \(without) without an engine; \(Table.number((Clock.processSeconds() - cpu) * 1_000)) ms of CPU time"
        return withExtendedLifetime(device) {
            [
                Finding("sync", "an idle engine", Double(with - without), "more wake-ups in \(seconds) s").noted(note)
                    .judged("the long poll's", with - without <= Self.mostWakeUps)
            ]
        }
    }

    private static func wakeUps(in seconds: UInt32) -> Int {
        let before = WakeUps.count()
        sleep(seconds)
        return WakeUps.count() - before
    }
}
