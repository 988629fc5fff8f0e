import StratusCloudModel
import Testing

@testable import StratusCloudService

/// The rules of key-value stores, which no client can break.
@Suite struct KeyValueStoreZoneTests {
    private func save(
        _ key: String, _ value: [UInt8]?, age: Int64 = 0, _ cloud: TestCloud
    ) async throws -> RecordResult {
        try await cloud.modify(
            [.keyValue(.forceReplace, key, value, age: age)], zone: KeyValueFormat.zoneName)[0]
    }

    private func value(_ key: String, _ cloud: TestCloud) async throws -> FieldValue? {
        try await cloud.lookup([KeyValueFormat.recordName(forKey: key)], zone: KeyValueFormat.zoneName)[0]
            .saved?.fields[KeyValueFormat.valueField]?.value
    }

    @Test("keys have 1 to 64 bytes of UTF-8, and name their records") func keys() async throws {
        let cloud = try await TestCloud()
        let longest = String(repeating: "ü", count: KeyValueFormat.keyLength / 2)
        for key in ["a", "Größe.x y_z", longest] {
            #expect(try await save(key, [1], cloud).saved != nil, "\(key)")
        }
        for key in ["", longest + "x"] {
            let error = try await save(key, [1], cloud).error
            #expect(error?.code == .badRequest && error?.reason.contains("bytes") == true, "\(key)")
        }
        var operation = RecordOperation.keyValue(.create, "right", [1])
        operation.record.recordName = "k.wrong"
        let error = try await cloud.modify([operation], zone: KeyValueFormat.zoneName)[0].error
        #expect(error?.reason.contains("'k.right'") == true)
        #expect(KeyValueFormat.recordName(forKey: "ü.") == "k.%C3%BC%2E")
    }

    @Test("a value has at most 1 MiB, and so have all together") func sizes() async throws {
        let cloud = try await TestCloud()
        let full = [UInt8](repeating: 7, count: KeyValueFormat.valueSize)
        #expect(try await save("a", full + [7], cloud).error?.code == .quotaExceeded)
        #expect(try await save("a", full, cloud).saved != nil)
        let error = try await save("b", [1], cloud).error
        #expect(error?.code == .quotaExceeded)
        #expect(error?.reason.contains("1048577 bytes of values with record 'k.b'") == true)
        #expect(try await value("b", cloud) == nil)
        // Room that the same batch makes counts, wherever it stands.
        let batch = [RecordOperation.keyValue(.forceReplace, "b", [1]), .keyValue(.forceReplace, "a", [1])]
        let results = try await cloud.modify(batch, zone: KeyValueFormat.zoneName)
        #expect(results.allSatisfy { $0.saved != nil })
    }

    @Test("a store has at most 1,024 keys and remembers as many removed ones") func counts() async throws {
        let cloud = try await TestCloud()
        let keys = (0..<KeyValueFormat.keysPerStore).map { "key\($0)" }
        func saveAll(_ value: [UInt8]?) async throws {
            for start in stride(from: 0, to: keys.count, by: 128) {
                let batch = keys[start..<start + 128].map { RecordOperation.keyValue(.forceReplace, $0, value) }
                let results = try await cloud.modify(batch, zone: KeyValueFormat.zoneName)
                #expect(results.allSatisfy { $0.saved != nil })
            }
        }
        try await saveAll([1])
        let refused = try await save("one more", [1], cloud).error
        #expect(refused?.code == .quotaExceeded && refused?.reason.contains("1025 keys") == true)
        #expect(try await save("key0", [2, 3], cloud).saved != nil, "a key that is there may change")
        try await saveAll(nil)
        #expect(try await save("one more", [1], cloud).saved != nil)
        #expect(try await save("one more", nil, cloud).error?.reason.contains("1025 removed keys") == true)
        let deletion = RecordOperation.make(.forceDelete, "k.key7", type: nil)
        #expect(try await cloud.modify([deletion], zone: KeyValueFormat.zoneName)[0].isDeleted)
        #expect(try await save("one more", nil, cloud).saved != nil)
    }

    @Test("the later change wins, whenever it arrives, and only the server's clock counts") func order() async throws {
        let cloud = try await TestCloud()
        #expect(try await save("k", [1], cloud).saved != nil)
        cloud.clock.withLock { $0 += 10_000 }
        // Made before the first one was saved, and sent now.
        let error = try await save("k", [2], age: 10_001, cloud).error
        #expect(error?.code == .conflict)
        #expect(error?.serverRecord?.value.fields["value"]?.value == .scalar(.bytes([1])))
        #expect(try await save("k", [3], age: 9_000, cloud).saved != nil)
        #expect(try await save("k", nil, age: 8_000, cloud).saved != nil, "a removal is a change like others")
        #expect(try await save("k", [4], age: 8_500, cloud).error?.code == .conflict)
        #expect(try await value("k", cloud) == nil)
        #expect(try await save("k", [5], age: 7_000, cloud).saved != nil)
    }

    @Test("while the server's clock is behind the latest change, the one that arrives last wins") func clockSetBack()
        async throws
    {
        let cloud = try await TestCloud()
        #expect(try await save("k", [1], cloud).saved != nil)
        cloud.clock.withLock { $0 -= 86_400_000 }
        #expect(try await save("k", [2], age: 60_000, cloud).saved != nil)
        #expect(try await save("k", [3], age: 90_000, cloud).saved != nil)
        cloud.clock.withLock { $0 += 2 * 86_400_000 }
        #expect(try await save("k", [4], age: 86_400_000 + 100_000, cloud).error?.code == .conflict)
        #expect(try await save("k", [5], age: 60_000, cloud).saved != nil)
    }

    @Test("ages are 0 to 100 years", arguments: [-1, KeyValueFormat.longestAge + 1]) func ages(age: Int64) async throws
    {
        let cloud = try await TestCloud()
        #expect(try await save("k", [1], age: age, cloud).error?.code == .badRequest)
        #expect(try await save("k", [1], age: min(max(age, 0), KeyValueFormat.longestAge), cloud).saved != nil)
    }

    @Test("a key with a value is removed by a change, not by deleting its record") func deletion() async throws {
        let cloud = try await TestCloud()
        _ = try await save("k", [1], cloud)
        let operation = RecordOperation.make(.forceDelete, "k.k", type: nil)
        let error = try await cloud.modify([operation], zone: KeyValueFormat.zoneName)[0].error
        #expect(error?.code == .badRequest && error?.reason.contains("'value'") == true)
        _ = try await save("k", nil, cloud)
        #expect(try await cloud.modify([operation], zone: KeyValueFormat.zoneName)[0].isDeleted)
    }

    @Test(
        "identifiers of stores",
        arguments: [
            (nil, "_keyValueStore"), ("ABC.org.example_x-1", "_keyValueStore.ABC.org.example_x-1"), ("", nil),
            ("a b", nil),
            ("ü", nil), (String(repeating: "a", count: 129), nil),
            (String(repeating: "a", count: 128), "_keyValueStore." + String(repeating: "a", count: 128)),
        ] as [(String?, String?)]) func identifiers(identifier: String?, zoneName: String?)
    {
        #expect(KeyValueFormat.zoneName(ofStore: identifier) == zoneName)
        if let zoneName { #expect(KeyValueFormat.isZoneName(zoneName)) }
    }
}
