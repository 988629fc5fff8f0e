import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct QuotaTests {
    /// A record of some size.
    private func note(_ kind: RecordOperation.Kind, _ name: String, _ size: Int = 100) -> RecordOperation {
        .make(kind, name, ["text": .text(String(repeating: "x", count: size))])
    }

    /// What a record of ``note(_:_:_:)`` takes, as the service counts it.
    private func size(_ name: String, _ size: Int = 100) async throws -> Int64 {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([note(.create, name, size)])
        return try await cloud.service.usage(of: .private, as: cloud.user()).recordBytes
    }

    @Test("Case 110: what fits to the byte is saved, a byte more is not", arguments: Engine.allCases)
    func case110(engine: Engine) async throws {
        let room = try await size("a")
        let exact = try await TestCloud(engine, configuration: .init(quotas: Quotas(privateRecords: room)))
        #expect(try await exact.modify([note(.create, "a")])[0].saved != nil)
        let error = try #require(try await exact.modify([note(.create, "b")])[0].error)
        #expect(error.code == .quotaExceeded)
        for word in ["'b'", "private", "\(room)", "\(2 * room)"] { #expect(error.reason.contains(word), "\(error)") }
        #expect(try await exact.lookup(["b"])[0].error?.code == .notFound)
        #expect(exact.service.statistics().quotaRefusals == [.private: 1, .public: 0, .shared: 0])

        let less = try await TestCloud(engine, configuration: .init(quotas: Quotas(privateRecords: room - 1)))
        #expect(try await less.modify([note(.create, "a")])[0].error?.code == .quotaExceeded)
        #expect(try await less.service.usage(of: .private, as: less.user()) == Usage())
    }

    @Test("Threat 41: a full database can be read, shrunk and cleared, and takes records again")
    func full() async throws {
        let room = try await size("a", 1_000)
        let cloud = try await TestCloud(configuration: .init(quotas: Quotas(privateRecords: room)))
        #expect(try await cloud.modify([note(.create, "a", 1_000)])[0].saved != nil)
        #expect(try await cloud.lookup(["a"])[0].saved != nil)
        #expect(try await cloud.modify([note(.forceReplace, "a", 1_001)])[0].error?.code == .quotaExceeded)
        #expect(try await cloud.modify([note(.forceReplace, "a", 1_000)])[0].saved != nil)
        #expect(try await cloud.modify([note(.forceReplace, "a", 500)])[0].saved != nil)
        #expect(try await cloud.modify([note(.forceReplace, "a", 1_000)])[0].saved != nil)
        // In one batch, in the order of its operations.
        let wrong = try await cloud.modify([note(.create, "b", 1_000), .make(.forceDelete, "a")])
        #expect(wrong[0].error?.code == .quotaExceeded && wrong[1].isDeleted)
        let right = try await cloud.modify([note(.create, "b", 1_000)])
        #expect(right[0].saved != nil)
        let swap = try await cloud.modify([.make(.forceDelete, "b"), note(.create, "a", 1_000)])
        #expect(swap[0].isDeleted && swap[1].saved != nil)
    }

    @Test func publicDataCountsToTheContainerAndPrivateDataToTheAccount() async throws {
        let room = try await size("a") * 3
        let cloud = try await TestCloud(
            configuration: .init(quotas: Quotas(publicRecords: room, privateRecords: room)))
        for name in ["a", "b", "c"] {
            #expect(
                try await cloud.modify([note(.create, name)], in: .public, as: cloud.user("a"))[0].saved != nil)
            for user: Character in ["a", "b"] {
                #expect(try await cloud.modify([note(.create, name)], as: cloud.user(user))[0].saved != nil)
            }
        }
        for user: Character in ["a", "b", "c"] {
            let results = try await cloud.modify([note(.create, "d")], in: .public, as: cloud.user(user))
            #expect(results[0].error?.code == .quotaExceeded)
            #expect(results[0].error?.reason.contains("public") == true)
        }
        #expect(try await cloud.modify([note(.create, "d")], as: cloud.user("a"))[0].error?.code == .quotaExceeded)
        #expect(try await cloud.modify([note(.create, "d")], as: cloud.user("c"))[0].saved != nil)
        // The operator may go beyond.
        let administrator = Caller(context: cloud.context, principal: .administrator(actingAs: nil))
        #expect(try await cloud.modify([note(.create, "d")], in: .public, as: administrator)[0].saved != nil)
        #expect(try await cloud.service.usage(of: .public, as: administrator).records == 4)
    }

    @Test func anAtomicBatchWithoutRoomIsRefusedAsAWhole() async throws {
        let room = try await size("a") * 2
        let cloud = try await TestCloud(configuration: .init(quotas: Quotas(privateRecords: room)))
        try await cloud.makeZone("Zone")
        let batch = ["a", "b", "c"].map { note(.create, $0) }
        let results = try await cloud.modify(batch, zone: "Zone")
        #expect(results.map { $0.error?.code } == [.atomicError, .atomicError, .quotaExceeded])
        #expect(try await cloud.service.usage(of: .private, as: cloud.user()) == Usage())
        let alone = try await cloud.modify(batch, zone: "Zone", atomic: false)
        #expect(alone.map { $0.error?.code } == [nil, nil, .quotaExceeded])
    }

    @Test func assetsAreCountedApartAndOnceForEachReference() throws {
        var record = StoredRecord(
            recordName: "r", recordType: "Photo", version: 7, fields: FieldMap(),
            created: RecordStamp(timestamp: 1, userRecordName: "_u"),
            modified: RecordStamp(timestamp: 1, userRecordName: "_u"))
        let without = record.usage
        let asset = ScalarValue.asset(Asset(fileChecksum: "c", size: 1_000_000))
        record.fields["one"] = Field(.scalar(asset))
        record.fields["many"] = Field(.list(of: .asset, elements: [asset, asset]))
        #expect(without.assetBytes == 0 && record.usage.assetBytes == 3_000_000)
        #expect(record.usage.recordBytes < without.recordBytes + 100)
        let quota = Quota(database: .public, assets: 2_999_999)
        #expect(throws: CloudError.self) { try quota.check(Usage(), adding: record.usage, record: "r") }
        #expect(throws: Never.self) {
            try Quota(database: .public, assets: 3_000_000).check(Usage(), adding: record.usage, record: "r")
        }
    }

    @Test func theSizeIsTheSameAtEveryVersion() {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        for _ in 0..<200 {
            var record = random.record()
            let sizes = [UInt64(0), 1, 127, 128, 1 << 20, .max].map { version in
                record.version = version
                return record.usage
            }
            #expect(Set(sizes).count == 1, "seed \(seed)")
        }
    }

    @Test("A database that was not counted is counted with its next save", arguments: Engine.allCases)
    func databasesFromBefore(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Zone")
        _ = try await cloud.modify((0..<150).map { note(.create, "r\($0)") })
        _ = try await cloud.modify((0..<50).map { note(.create, "r\($0)") }, zone: "Zone")
        _ = try await cloud.modify([.make(.forceDelete, "r1")], zone: "Zone")
        let before = try await cloud.service.usage(of: .private, as: cloud.user())
        let name = try #require(cloud.user().userRecordName)
        let partition = Partition.privateDatabase(of: name, in: cloud.context)
        try await cloud.store.write(partition) { $0.clear(Keyspace.usage) }
        #expect(try await cloud.service.usage(of: .private, as: cloud.user()) == before)
        _ = try await cloud.modify([note(.create, "r1")], zone: "Zone")
        _ = try await cloud.modify([.make(.forceDelete, "r1")], zone: "Zone")
        #expect(try await cloud.store.read(partition) { try $0.value(Usage.self, at: Keyspace.usage) } == before)
        #expect(before.records == 199)
    }
}
