import CloudKit
import StratusCloudModel
import StratusHTTPClient

/// 10,000 small records saved and fetched through the library, and by a bare client that moves the same bytes.
struct SDKMeasure {
    let bench: Bench

    private static let greatestRatio = 2.0

    private struct Times {
        var save: [Double] = []
        var fetch: [Double] = []
    }

    func findings() throws -> [Finding] {
        let stratus = try bench.freshStratus(.development)
        defer { stratus.remove() }
        var (sdk, bare) = (Times(), Times())
        for round in 1...bench.settings.rounds {
            Progress.say("sdk, round \(round) of \(bench.settings.rounds)")
            try self.round(stratus.server, &sdk, &bare)
        }
        let together = Self.findings(
            "both", zip(sdk.save, sdk.fetch).map { $0 + $1 }, zip(bare.save, bare.fetch).map { $0 + $1 })
        return Self.findings("save", sdk.save, bare.save) + Self.findings("fetch", sdk.fetch, bare.fetch)
            + [together[0], together[1].judged("≤ 2 × libcurl", together[1].ratio ?? .infinity <= Self.greatestRatio)]
    }

    private func round(_ server: Stratus, _ sdk: inout Times, _ bare: inout Times) throws {
        let transport = RecordingTransport(try HTTPCloudTransport(to: server))
        let database = CKContainer(
            identifier: StratusData.container, transport: transport, keyStore: MemoryKeyStore()
        ).privateCloudDatabase
        try waiting {
            // Makes the types and their indexes known, and the connection.
            try await database.save(CKRecordZone(zoneID: SmallRecords.zoneID))
            _ = try await database.modifyRecords(
                saving: SmallRecords.make().suffix(1), deleting: [], savePolicy: .allKeys)
            try await Self.empty(database)
        }
        let recordIDs = SmallRecords.make().map(\.recordID)
        let saves = try transport.recording {
            sdk.save.append(
                try Self.seconds { try waiting { try await SmallRecords.save(SmallRecords.make(), in: database) } })
        }
        let fetches = try transport.recording {
            sdk.fetch.append(
                try Self.seconds { try waiting { try await SmallRecords.fetch(recordIDs, from: database) } })
        }
        try waiting { try await Self.empty(database) }
        let client = try BareClient()
        bare.save.append(try Self.seconds { for save in saves { try client.post(save) } })
        bare.fetch.append(try Self.seconds { for fetch in fetches { try client.post(fetch) } })
        _ = try waiting { try await database.deleteRecordZone(withID: SmallRecords.zoneID) }
    }

    private static func empty(_ database: CKDatabase) async throws {
        try await database.deleteRecordZone(withID: SmallRecords.zoneID)
        try await database.save(CKRecordZone(zoneID: SmallRecords.zoneID))
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = Clock.now()
        try body()
        return Clock.seconds(since: start)
    }

    private static func findings(_ what: String, _ sdk: [Double], _ bare: [Double]) -> [Finding] {
        let own = Finding("sdk", "\(what) through the SDK", median(sdk) * 1e6 / Double(SmallRecords.count), "µs/record")
        let other = Finding(
            "sdk", "\(what), bare libcurl", median(bare) * 1e6 / Double(SmallRecords.count), "µs/record")
        return [other, own.compared(to: other, "libcurl")]
    }
}
