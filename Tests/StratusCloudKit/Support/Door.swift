import CloudKit
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusHTTPClient
import StratusServiceTransport
import StratusTestSupport
import Testing

/// The ways to a cloud: the same must come through each.
enum Door: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inProcess, http

    var testDescription: String { rawValue }

    /// The production environment of a container of its own, with these record types in the schema language, as one
    /// person uses it.
    func openProduction(_ recordTypes: String) async throws -> CKContainer {
        switch self {
        case .inProcess:
            let name = Unique.name("iCloud.org.example.")
            let container = try #require(ContainerIdentifier(name))
            let service = CloudService(store: MemoryStore(), secret: [UInt8](repeating: 7, count: 32))
            try await service.createContainer(container)
            let context = CloudContext(container: container, environment: .production)
            try await service.applySchema("DEFINE SCHEMA " + recordTypes, to: context)
            let caller = Caller(context: context, principal: .user("_" + String(repeating: "a", count: 32)))
            return CKContainer(
                identifier: name, transport: ServiceTransport(service: service, caller: caller),
                keyStore: MemoryKeyStore())
        case .http:
            let tenant = try await Tenant(in: try await Cloud.shared())
            try await tenant.applySchema(recordTypes)
            let session = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container, "production")
            return CKContainer(
                identifier: tenant.container,
                transport: HTTPCloudTransport(
                    HTTPCloudTransport.Endpoint(
                        server: tenant.cloud.server.url,
                        container: try #require(ContainerIdentifier(tenant.container)), environment: .production,
                        apiToken: tenant.productionToken, webAuthToken: session.webAuthToken), http: Database.http),
                keyStore: MemoryKeyStore())
        }
    }

    /// A container of its own with two people.
    func open() async throws -> App {
        switch self {
        case .inProcess:
            let name = Unique.name("iCloud.org.example.")
            let container = try #require(ContainerIdentifier(name))
            let service = CloudService(store: MemoryStore(), secret: [UInt8](repeating: 7, count: 32))
            try await service.createContainer(container)
            let context = CloudContext(container: container, environment: .development)
            func transport(_ principal: Caller.Principal) -> ServiceTransport {
                ServiceTransport(service: service, caller: Caller(context: context, principal: principal))
            }
            return App(
                name, transport(.user("_" + String(repeating: "a", count: 32))),
                transport(.user("_" + String(repeating: "b", count: 32))), transport(.anonymous))
        case .http:
            let tenant = try await Tenant(in: try await Cloud.shared())
            return App(
                tenant.container, try tenant.transport(of: tenant.alice), try tenant.transport(of: tenant.bob),
                try tenant.transport(of: nil))
        }
    }
}

/// A container as two people, and nobody, use it.
struct App: Sendable {
    let alice: CKContainer
    let bob: CKContainer
    let nobody: CKContainer
    private let name: String
    /// Alice's way to the cloud.
    let transport: any CloudTransport

    init(
        _ name: String, _ alice: any CloudTransport, _ bob: any CloudTransport, _ nobody: any CloudTransport
    ) {
        self.name = name
        transport = alice
        self.alice = CKContainer(identifier: name, transport: alice, keyStore: MemoryKeyStore())
        self.bob = CKContainer(identifier: name, transport: bob, keyStore: MemoryKeyStore())
        self.nobody = CKContainer(identifier: name, transport: nobody, keyStore: MemoryKeyStore())
    }

    /// The container as Alice uses it on another device, or in another program of one that has the store.
    func device(_ keyStore: any DeviceKeyStore = MemoryKeyStore()) -> CKContainer {
        CKContainer(identifier: name, transport: transport, keyStore: keyStore)
    }

    /// The container over another way to the cloud.
    func container(over transport: any CloudTransport) -> CKContainer {
        CKContainer(identifier: name, transport: transport, keyStore: MemoryKeyStore())
    }

    /// Alice's private database.
    var database: CKDatabase { alice.privateCloudDatabase }

    /// A new custom zone in it.
    func makeZone(_ name: String = "Notes") async throws -> CKRecordZone.ID {
        try await database.save(CKRecordZone(zoneName: name)).zoneID
    }
}

/// A note without a change tag.
func note(_ name: String, in zoneID: CKRecordZone.ID = .default, _ title: String = "Hi") -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = title
    return record
}

/// The code that `body` fails with; nil if it succeeds, or fails otherwise.
func code(of body: () async throws -> Void) async -> CKError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? CKError)?.code
    }
}

extension Result {
    /// The code of the error, if it is one of CloudKit.
    var code: CKError.Code? { if case .failure(let error) = self { (error as? CKError)?.code } else { nil } }
    /// Whether it is a value.
    var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension Collection {
    /// Whether all results are values.
    func allSucceeded<Value>() -> Bool where Element == Result<Value, any Error> { allSatisfy { $0.isSuccess } }
}
