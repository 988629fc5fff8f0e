import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Zones that the service itself knows, with the key-value store as the example.
@Suite struct ReservedZoneTests {
    private let zone = KeyValueFormat.zoneName

    private func entry(_ kind: RecordOperation.Kind = .forceReplace, _ key: String = "a") -> RecordOperation {
        .keyValue(kind, key, [1])
    }

    private func modifyZone(
        _ kind: ZoneOperation.Kind, _ name: String, _ cloud: TestCloud
    ) async throws -> CloudError? {
        let results = try await cloud.service.modifyZones(
            [ZoneOperation(kind, ZoneID(zoneName: name))], in: .private, as: cloud.user())
        return if case .failed(_, let error)? = results.first { error } else { nil }
    }

    @Test(
        "the zone appears with its first record, in both environments and without a schema",
        arguments: CloudEnvironment.allCases)
    func appears(environment: CloudEnvironment) async throws {
        let cloud = try await TestCloud(environment: environment)
        #expect(try await cloud.lookup(["k.a"], zone: zone)[0].error?.code == .zoneNotFound)
        #expect(try await cloud.modify([entry()], zone: zone)[0].saved != nil)
        #expect(try await cloud.lookup(["k.a"], zone: zone)[0].saved?.fields["key"]?.value == .scalar(.string("a")))
        let zones = try await cloud.service.listZones(in: .private, as: cloud.user()).map(\.zoneID.zoneName)
        #expect(zones == [ZoneID.defaultZoneName, zone])
        let changes = try await cloud.service.zoneChanges(
            [ZoneChangesRequest(zoneID: ZoneID(zoneName: zone))], in: .private, as: cloud.user())
        guard case .page(_, let page)? = changes.first else { throw Unexpected(description: "\(changes)") }
        #expect(page.changes.count == 1)
        let query = QueryRecordsRequest(
            query: Query(recordType: KeyValueFormat.recordType), zoneID: ZoneID(zoneName: zone))
        let found = try await cloud.service.queryRecords(query, in: .private, as: cloud.user())
        #expect(found.records.map(\.recordName) == ["k.a"])
    }

    @Test("a refused save leaves no zone behind", arguments: [true, false]) func refused(atomic: Bool) async throws {
        let cloud = try await TestCloud()
        let bad = RecordOperation.make(.create, "x", type: KeyValueFormat.recordType)
        #expect(try await cloud.modify([bad], zone: zone, atomic: atomic)[0].error?.code == .badRequest)
        #expect(try await cloud.service.listZones(in: .private, as: cloud.user()).count == 1)
    }

    @Test("clients neither create nor delete it, and other reserved names lead nowhere") func ownership() async throws {
        let cloud = try await TestCloud()
        #expect(try await modifyZone(.create, zone, cloud)?.code == .badRequest)
        _ = try await cloud.modify([entry()], zone: zone)
        #expect(try await modifyZone(.delete, zone, cloud)?.code == .badRequest)
        #expect(try await cloud.lookup(["k.a"], zone: zone)[0].saved != nil)
        for name in ["_other", "_keyValueStoreX", "_keyValueStore.", "_keyValueStore.a/b"] {
            #expect(try await cloud.modify([entry()], zone: name)[0].error?.code == .zoneNotFound, "\(name)")
        }
        let inPublic = try await cloud.modify([entry()], zone: zone, in: .public)
        #expect(inPublic[0].error?.code == .zoneNotFound)
    }

    @Test("only the fixed types and fields go in, and they go nowhere else", arguments: CloudEnvironment.allCases)
    func types(environment: CloudEnvironment) async throws {
        let cloud = try await TestCloud(environment: environment)
        let other = try await cloud.modify([.make(.create, "x", type: "Note")], zone: zone)[0].error
        #expect(other?.code == .badRequest)
        #expect(other?.reason.contains("StratusKeyValue") == true)
        let field = RecordOperation.keyValue(.create, "a", [1], extra: ["colour": .text("red")])
        let reason = try await cloud.modify([field], zone: zone)[0].error?.reason
        #expect(reason?.contains("'colour'") == true && reason?.contains(zone) == true)
        let elsewhere = try await cloud.modify([entry(.create)])[0].error
        #expect(elsewhere?.code == .badRequest)
        #expect(elsewhere?.reason.contains("reserved") == true)
    }

    @Test("the types are not part of the developer's schema") func schema() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([entry()], zone: zone)
        _ = try await cloud.modify([.make(.create, "n", ["a": .text("x")])])
        let description = try await cloud.service.schemaDescription(of: cloud.context)
        #expect(!description.text.contains(KeyValueFormat.recordType))
        #expect(!description.recordTypes.contains { $0.name == KeyValueFormat.recordType })
        let production = CloudContext(container: cloud.context.container, environment: .production)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        let deployed = try await cloud.service.schemaDescription(of: production)
        #expect(deployed.recordTypes.contains { $0.name == "Note" })
        #expect(!deployed.text.contains(KeyValueFormat.recordType))
        let document = "DEFINE SCHEMA RECORD TYPE StratusKeyValue (key STRING);"
        let error = await #expect(throws: CloudError.self) {
            try await cloud.service.applySchema(document, to: cloud.context)
        }
        #expect(error?.reason.contains("reserved") == true)
    }

    @Test("nothing of it can be shared") func sharing() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([entry()], zone: zone)
        let share = RecordOperation(
            .create,
            RecordInput(
                recordName: SystemRecordType.zoneShareName, recordType: SystemRecordType.share,
                share: Boxed(ShareInput())))
        let error = try await cloud.modify([share], zone: zone)[0].error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("can be shared") == true)
    }

    @Test("the number of its kind is bounded, and app zones have their own bound") func bound() async throws {
        let cloud = try await TestCloud()
        for number in 1...KeyValueFormat.storesPerDatabase {
            let name = try #require(KeyValueFormat.zoneName(ofStore: "s\(number)"))
            #expect(try await cloud.modify([entry()], zone: name)[0].saved != nil)
        }
        let error = await #expect(throws: CloudError.self) { try await cloud.modify([entry()], zone: zone) }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("100 zones of this kind") == true)
        let partition = Partition.privateDatabase(of: try #require(cloud.user().userRecordName), in: cloud.context)
        #expect(try await cloud.store.read(partition) { try DatabaseCounters.read(in: $0).customZones } == 0)
        #expect(try await modifyZone(.create, "App", cloud) == nil)
    }

    @Test("the check of everything finds nothing to complain of") func consistency() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([entry(), entry(.create, "b")], zone: zone)
        _ = try await cloud.modify([.keyValue(.forceReplace, "a", nil)], zone: zone)
        let report = try await cloud.service.checkConsistency(repairing: false)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }
}

extension RecordOperation {
    /// A save of a key's record; without bytes the key is removed.
    static func keyValue(
        _ kind: Kind, _ key: String, _ value: [UInt8]?, age: Int64 = 0, tag: String? = nil,
        extra: KeyValuePairs<String, InputValue> = [:]
    ) -> RecordOperation {
        var fields: [(name: String, field: FieldInput)] = [
            (KeyValueFormat.keyField, FieldInput(.text(key))), (KeyValueFormat.ageField, FieldInput(.integer(age))),
        ]
        if let value {
            fields.append((KeyValueFormat.valueField, FieldInput(Field(.scalar(.bytes(value))))))
        }
        fields += extra.map { ($0.key, FieldInput($0.value)) }
        return RecordOperation(
            kind,
            RecordInput(
                recordName: KeyValueFormat.recordName(forKey: key), recordType: KeyValueFormat.recordType,
                recordChangeTag: tag, fields: fields))
    }
}
