import CloudKit
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusServiceTransport
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// Ada, Bob and Carol in a container of their own, and what its operator can do: read and write what anybody could.
struct Trio: Sendable {
    struct Person: Sendable {
        let name: String
        let transport: any CloudTransport
        let store = MemoryKeyStore()
        let container: CKContainer

        init(_ name: String, _ transport: any CloudTransport) async throws {
            self.name = name
            self.transport = transport
            container = CKContainer(identifier: name, transport: transport, keyStore: store)
        }

        var own: CKDatabase { container.privateCloudDatabase }
        var shared: CKDatabase { container.sharedCloudDatabase }

        /// Another program on the same device, or another device with what the store has.
        func again(_ store: (any DeviceKeyStore)? = nil) -> CKContainer {
            CKContainer(identifier: name, transport: transport, keyStore: store ?? self.store)
        }

        func userName() async throws -> String { try await container.userRecordID().recordName }

        /// Comes in by a link, as a person who opens it on their device.
        @discardableResult
        func accept(_ url: URL?) async throws -> CKShare {
            try await container.accept(try await container.shareMetadata(for: try #require(url)))
        }

        /// All keys of somebody else's zone that this person's process ever had.
        func keys(of zoneID: CKRecordZone.ID) async -> [KeyID: ZoneKey] {
            await container.source.connection.keyring.foreignKeys(
                of: Keyring.Zone(
                    place: AccountPlace(container: name, user: zoneID.ownerName), name: zoneID.zoneName))
        }
    }

    let ada: Person
    let bob: Person
    let carol: Person

    init(_ door: Door) async throws {
        switch door {
        case .inProcess:
            let name = Unique.name("iCloud.org.example.")
            let container = try #require(ContainerIdentifier(name))
            let service = CloudService(store: MemoryStore(), secret: [UInt8](repeating: 7, count: 32))
            try await service.createContainer(container)
            let context = CloudContext(container: container, environment: .development)
            func person(_ letter: Character) async throws -> Person {
                let caller = Caller(context: context, principal: .user("_" + String(repeating: letter, count: 32)))
                return try await Person(name, ServiceTransport(service: service, caller: caller))
            }
            (ada, bob, carol) = (try await person("a"), try await person("b"), try await person("c"))
        case .http:
            let cloud = try await Cloud.shared()
            let tenant = try await Tenant(in: cloud)
            let third = try await Tenant.person("carol", in: cloud, tenant.container)
            let container = try #require(ContainerIdentifier(tenant.container))
            func person(_ person: Tenant.Person) async throws -> Person {
                try await Person(
                    tenant.container,
                    HTTPCloudTransport(
                        HTTPCloudTransport.Endpoint(
                            server: cloud.server.url, container: container, environment: .development,
                            apiToken: tenant.apiToken, webAuthToken: person.webAuthToken), http: Database.http))
            }
            (ada, bob, carol) = (
                try await person(tenant.alice), try await person(tenant.bob), try await person(third)
            )
        }
    }

    // MARK: The operator

    /// What is kept with a share.
    func keys(of share: CKShare, as person: Person? = nil, in zoneID: CKRecordZone.ID? = nil) async throws -> ShareKeys
    {
        let person = person ?? ada
        let request = SharesRequest(
            zoneID: IdentityNames().zoneID(zoneID ?? share.recordID.zoneID), recordNames: [share.recordID.recordName])
        let scope = person.store === ada.store ? DatabaseScope.private : .shared
        let answer = try await person.transport.send(CloudRequest(.lookupShares(request), in: scope)).shares()
        return try #require(answer.shares.first)
    }

    /// Puts something else there.
    func put(
        _ change: ShareKeysUpdate.Change, _ share: CKShare, as person: Person, in zoneID: CKRecordZone.ID
    ) async throws {
        let update = ShareKeysUpdate(
            zoneID: IdentityNames().zoneID(zoneID), shareName: share.recordID.recordName, change: change)
        let scope = person.store === ada.store ? DatabaseScope.private : .shared
        _ = try await person.transport.send(CloudRequest(.updateShareKeys(update), in: scope))
    }

    /// The bytes of an encrypted field of Ada's.
    func sealed(_ name: String, in zoneID: CKRecordZone.ID) async throws -> SealedValue {
        let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
        return try SealedValue(try #require(try await RawCloud(ada.transport).field("secret", of: recordID)))
    }
}

/// Something of Ada's that is shared.
struct SharedWorld: Sendable {
    let trio: Trio
    /// As Ada names the zone, and as the others do.
    let zoneID: CKRecordZone.ID
    let shared: CKRecordZone.ID
    let root: CKRecord
    let share: CKShare

    /// - Parameters:
    ///   - permissions: of Bob and Carol, if they are invited.
    ///   - accepts: whether they come in.
    init(
        _ door: Door, whole: Bool = false, bob: CKShare.ParticipantPermission? = .readWrite,
        carol: CKShare.ParticipantPermission? = .readOnly, accepts: Bool = true
    ) async throws {
        trio = try await Trio(door)
        zoneID = try await trio.ada.own.save(CKRecordZone(zoneName: "Notes")).zoneID
        shared = CKRecordZone.ID(zoneName: "Notes", ownerName: try await trio.ada.userName())
        root = note("root", in: zoneID)
        root.encryptedValues["secret"] = "of the root"
        share = whole ? CKShare(recordZoneID: zoneID) : CKShare(rootRecord: root)
        for (person, permission) in [(trio.bob, bob), (trio.carol, carol)] {
            guard let permission else { continue }
            let invited = try await trio.ada.container.shareParticipant(
                forUserRecordID: CKRecord.ID(recordName: try await person.userName()))
            invited.permission = permission
            share.addParticipant(invited)
        }
        let saved = try await trio.ada.own.modifyRecords(saving: [root, share], deleting: [], atomically: true)
        for result in saved.saveResults.values { _ = try result.get() }
        guard accepts else { return }
        if bob != nil { try await trio.bob.accept(share.url) }
        if carol != nil { try await trio.carol.accept(share.url) }
    }

    func id(_ name: String, _ zone: CKRecordZone.ID? = nil) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: zone ?? zoneID)
    }

    /// A record below the root with something encrypted, for whoever names the zone so.
    func child(_ name: String, _ secret: String, in zone: CKRecordZone.ID? = nil) -> CKRecord {
        let record = note(name, in: zone ?? zoneID)
        record.encryptedValues["secret"] = secret
        record.setParent(id("root", zone ?? zoneID))
        return record
    }

    /// What somebody reads.
    func secret(_ name: String, _ database: CKDatabase) async throws -> String? {
        let zone = database.databaseScope == .private ? zoneID : shared
        return try await database.record(for: id(name, zone)).encryptedValues["secret"] as? String
    }

    /// The share as Ada has it now.
    func current() async throws -> CKShare {
        try #require(try await trio.ada.own.record(for: share.recordID) as? CKShare)
    }

    /// Ada takes somebody out.
    func remove(_ person: Trio.Person, by container: CKContainer? = nil) async throws {
        let database = (container ?? trio.ada.container).privateCloudDatabase
        let share = try #require(try await database.record(for: share.recordID) as? CKShare)
        let name = try await person.userName()
        share.removeParticipant(
            try #require(share.participants.first { $0.userIdentity.userRecordID?.recordName == name }))
        try await database.save(share)
    }
}
