import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// The count of a database is what its records come to, after any history.
@Suite struct UsagePropertyTests {
    @Test(arguments: Engine.allCases)
    func theCountNeverDrifts(engine: Engine) async throws {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        for _ in 0..<4 {
            // A quota that is reached now and then, so that refusals are in the history.
            let quota = Int64.random(in: 500...4_000, using: &random)
            let cloud = try await TestCloud(engine, configuration: .init(quotas: Quotas(privateRecords: quota)))
            for _ in 0..<80 {
                try await step(cloud, &random)
                try await check(cloud, quota, "seed \(seed)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func manyWritersAtOnceAreAllCounted(engine: Engine) async throws {
        let cloud = try await TestCloud(engine, configuration: .init(quotas: Quotas(privateRecords: 20_000)))
        try await cloud.makeZone("Zone")
        let seed = Seed.draw()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    var random = RandomValues(seed: seed &+ UInt64(writer))
                    for _ in 0..<30 {
                        _ = try await cloud.modify(
                            Self.batch(&random), zone: Bool.random(using: &random) ? "Zone" : nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await check(cloud, 20_000, "seed \(seed)")
    }

    private func step(_ cloud: TestCloud, _ random: inout RandomValues) async throws {
        let zone = ["A", "B"].randomElement(using: &random) ?? "A"
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let kind: ZoneOperation.Kind = Bool.random(using: &random) ? .create : .delete
            _ = try await cloud.service.modifyZones(
                [ZoneOperation(kind, ZoneID(zoneName: zone))], in: .private, as: cloud.user())
        case 1...4:
            _ = try await cloud.modify(Self.batch(&random))
        default:
            _ = try await cloud.modify(Self.batch(&random), zone: zone, atomic: Bool.random(using: &random))
        }
    }

    /// Operations of all kinds on few records, so that they meet.
    private static func batch(_ random: inout RandomValues) -> [RecordOperation] {
        var names = Set<String>()
        return (0..<Int.random(in: 1...6, using: &random)).compactMap { _ -> RecordOperation? in
            let name = "r\(Int.random(in: 0..<12, using: &random))"
            guard names.insert(name).inserted else { return nil }
            let kind = RecordOperation.Kind.allCases.randomElement(using: &random) ?? .create
            let text = String(repeating: "x", count: Int.random(in: 0...300, using: &random))
            return .make(kind, name, tag: "1", ["text": .text(text)])
        }
    }

    /// Compares the count with the records, one by one.
    private func check(_ cloud: TestCloud, _ quota: Int64, _ context: String) async throws {
        let counted = try await cloud.service.usage(of: .private, as: cloud.user())
        let name = try #require(cloud.user().userRecordName)
        let recounted = try await cloud.store.read(.privateDatabase(of: name, in: cloud.context)) { transaction in
            try UsageLedger.count(in: transaction)
        }
        #expect(counted == recounted, "\(context)")
        #expect(counted.recordBytes <= quota, "\(context)")
    }
}
