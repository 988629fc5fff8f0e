import Foundation
import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// The engines that every rule must hold on.
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, leveldb

    var testDescription: String { rawValue }

    func make() throws -> any CloudStore {
        switch self {
        case .memory: MemoryStore()
        case .sqlite: try SQLiteStore(directory: Self.makeDirectory())
        case .leveldb: try LevelDBStore(directory: Self.makeDirectory())
        }
    }

    private static func makeDirectory() throws -> String {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.path
    }
}

/// A cloud with one container, a clock that stands until it is told, and two people.
struct TestCloud: Sendable {
    let service: CloudService
    let store: any CloudStore
    let clock: Lock<Int64>
    /// What the service reported to the operator.
    let reports: Lock<[String]>
    let context: CloudContext

    init(
        _ engine: Engine = .memory, environment: CloudEnvironment = .development,
        configuration: ServiceConfiguration = ServiceConfiguration(), cascadeWork: CascadeWork = CascadeWork()
    ) async throws {
        try await self.init(
            store: try engine.make(), environment: environment, configuration: configuration, cascadeWork: cascadeWork)
    }

    init(
        store: any CloudStore, environment: CloudEnvironment = .development,
        configuration: ServiceConfiguration = ServiceConfiguration(), cascadeWork: CascadeWork = CascadeWork(),
        assets: any AssetStore = MemoryAssets(), assetLimits: AssetLimits = AssetLimits()
    ) async throws {
        try self.init(
            reopening: store, environment: environment, configuration: configuration, cascadeWork: cascadeWork,
            assets: assets, assetLimits: assetLimits)
        try await service.createContainer(context.container)
    }

    /// The cloud that is in a store already.
    init(
        reopening store: any CloudStore, environment: CloudEnvironment = .development,
        configuration: ServiceConfiguration = ServiceConfiguration(), cascadeWork: CascadeWork = CascadeWork(),
        assets: any AssetStore = MemoryAssets(), assetLimits: AssetLimits = AssetLimits()
    ) throws {
        let container = try #require(ContainerIdentifier("iCloud.org.example.tests"))
        self.init(
            store: store, context: CloudContext(container: container, environment: environment),
            clock: Lock(1_795_000_000_000), reports: Lock([]), configuration: configuration, cascadeWork: cascadeWork,
            assets: assets, assetLimits: assetLimits)
    }

    /// Another run of the service, over the same store or another with the same data.
    init(_ other: TestCloud, store: any CloudStore, assets: any AssetStore = MemoryAssets()) {
        self.init(store: store, context: other.context, clock: other.clock, reports: other.reports, assets: assets)
    }

    private init(
        store: any CloudStore, context: CloudContext, clock: Lock<Int64>, reports: Lock<[String]>,
        configuration: ServiceConfiguration = ServiceConfiguration(), cascadeWork: CascadeWork = CascadeWork(),
        assets: any AssetStore = MemoryAssets(), assetLimits: AssetLimits = AssetLimits()
    ) {
        self.store = store
        self.context = context
        self.clock = clock
        self.reports = reports
        var outside = ServiceEnvironment(
            now: { clock.withLock { $0 } }, random: .system,
            report: { error in reports.withLock { $0.append("\(error)") } })
        outside.cascadeWork = cascadeWork
        service = CloudService(
            store: store, secret: Array(repeating: 9, count: 32), environment: outside,
            passwords: PasswordHasher(cost: PasswordHasher.Cost(memory: 8 << 20, passes: 1)),
            configuration: configuration, assets: assets, assetLimits: assetLimits)
    }

    /// The same cloud as after a restart: nothing is left but what was stored.
    init(restarting cloud: TestCloud, cascadeWork: CascadeWork = CascadeWork()) async throws {
        self.init(
            store: cloud.store, context: cloud.context, clock: cloud.clock, reports: cloud.reports,
            cascadeWork: cascadeWork)
    }

    func user(_ digit: Character = "a") -> Caller {
        Caller(context: context, principal: .user("_" + String(repeating: digit, count: 32)))
    }

    var anonymous: Caller { Caller(context: context, principal: .anonymous) }

    func modify(
        _ operations: [RecordOperation], zone: String? = nil, atomic: Bool? = nil, in scope: DatabaseScope = .private,
        as caller: Caller? = nil
    ) async throws -> [RecordResult] {
        try await service.modifyRecords(
            ModifyRecordsRequest(operations: operations, zoneID: zone.map { ZoneID(zoneName: $0) }, atomic: atomic),
            in: scope, as: caller ?? user())
    }

    func lookup(
        _ names: [String], zone: String? = nil, in scope: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> [RecordResult] {
        try await service.lookupRecords(
            LookupRecordsRequest(
                items: names.map { LookupRecordsRequest.Item(recordName: $0) },
                zoneID: zone.map { ZoneID(zoneName: $0) }), in: scope, as: caller ?? user())
    }

    func makeZone(_ name: String) async throws {
        let results = try await service.modifyZones(
            [ZoneOperation(.create, ZoneID(zoneName: name))], in: .private, as: user())
        guard case .zone? = results.first else { throw Unexpected(description: "\(results)") }
    }
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

extension RecordResult {
    var saved: Record? {
        if case .saved(let record) = self { record } else { nil }
    }

    var error: CloudError? {
        if case .failed(_, let error) = self { error } else { nil }
    }

    var isDeleted: Bool {
        if case .deleted = self { true } else { false }
    }
}

extension RecordOperation {
    static func make(
        _ kind: Kind, _ name: String?, type: String? = "Note", tag: String? = nil,
        _ fields: KeyValuePairs<String, InputValue> = [:]
    ) -> RecordOperation {
        RecordOperation(
            kind,
            RecordInput(
                recordName: name, recordType: type, recordChangeTag: tag,
                fields: fields.map { (name: $0.key, field: FieldInput($0.value)) }))
    }
}
