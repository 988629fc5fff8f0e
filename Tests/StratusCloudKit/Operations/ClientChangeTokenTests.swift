import CloudKit
import StratusCloudModel
import StratusTestSupport
import StratusTesting
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// Whether the server has the latest that a device sent.
@Suite struct ClientChangeTokenTests {
    @Test("each device is given what it gave last, on every page", arguments: Door.allCases)
    func givenBack(_ door: Door) async throws {
        let (phone, laptop) = try await door.openTwoDevices()
        let zoneID = try await phone.save(CKRecordZone(zoneName: "Notes")).zoneID
        #expect(try await phone.tokens(of: zoneID) == [nil])
        try await phone.modify((0..<3).map { note("n\($0)", in: zoneID) }, Data("first".utf8))
        #expect(try await phone.tokens(of: zoneID) == [Data("first".utf8)])
        #expect(try await phone.tokens(of: zoneID, limit: 2) == [Data("first".utf8), Data("first".utf8)])
        #expect(try await laptop.tokens(of: zoneID) == [nil])
        try await laptop.modify([note("n3", in: zoneID)], Data("other".utf8))
        #expect(try await phone.tokens(of: zoneID) == [Data("first".utf8)])
        #expect(try await laptop.tokens(of: zoneID) == [Data("other".utf8)])
        // One without leaves it; an empty one is one.
        try await phone.modify([note("n4", in: zoneID)], nil)
        #expect(try await phone.tokens(of: zoneID) == [Data("first".utf8)])
        try await phone.modify([note("n5", in: zoneID)], Data())
        #expect(try await phone.tokens(of: zoneID) == [Data()])
    }

    @Test("older programs are given it, too", arguments: Door.allCases)
    func olderBlocks(_ door: Door) async throws {
        let (phone, _) = try await door.openTwoDevices()
        let zoneID = try await phone.save(CKRecordZone(zoneName: "Notes")).zoneID
        try await phone.modify([note("a", in: zoneID)], Data([1, 2]))
        let diary = Diary()
        let zones = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID])
        zones.recordZoneFetchCompletionBlock = { _, _, data, _, error in
            diary.note("\(data.map { Array($0) } ?? []) \(error == nil)")
        }
        await end(of: zones) { _ in phone.add(zones) }
        let zone = CKFetchRecordChangesOperation(recordZoneID: zoneID, previousServerChangeToken: nil)
        zone.fetchRecordChangesCompletionBlock = { _, data, error in
            diary.note("\(data.map { Array($0) } ?? []) \(error == nil)")
        }
        await end(of: zone) { _ in phone.add(zone) }
        #expect(diary.text == ["[1, 2] true", "[1, 2] true"])
    }

    @Test("it has a limit", arguments: Door.allCases)
    func limit(_ door: Door) async throws {
        let (phone, _) = try await door.openTwoDevices()
        let zoneID = try await phone.save(CKRecordZone(zoneName: "Notes")).zoneID
        let largest = Data(repeating: 7, count: ModelLimits.clientChangeTokenSize)
        try await phone.modify([note("a", in: zoneID)], largest)
        let refusal = await error { try await phone.modify([note("b", in: zoneID)], largest + [7]) }
        #expect(refusal?.code == .invalidArguments)
        #expect(refusal?.localizedDescription.contains("'clientChangeToken' has 1025 bytes") == true)
        #expect(await code { _ = try await phone.record(for: note("b", in: zoneID).recordID) } == .unknownItem)
        #expect(try await phone.tokens(of: zoneID) == [largest])
    }

    @Test("what was not done is not known; what was done in part is", arguments: Door.allCases)
    func refusals(_ door: Door) async throws {
        let (phone, _) = try await door.openTwoDevices()
        let zoneID = try await phone.save(CKRecordZone(zoneName: "Notes")).zoneID
        try await phone.modify([note("a", in: zoneID)], Data([1]))
        // Another record of the name is there.
        let stale = [note("a", in: zoneID), note("b", in: zoneID)]
        await #expect(throws: (any Error).self) { try await phone.modify(stale, Data([2])) }
        #expect(try await phone.tokens(of: zoneID) == [Data([1])])
        await #expect(throws: (any Error).self) { try await phone.modify(stale, Data([3]), atomically: false) }
        #expect(try await phone.tokens(of: zoneID) == [Data([3])])
        await #expect(throws: (any Error).self) {
            try await phone.modify([note("a", in: zoneID)], Data([4]), atomically: false)
        }
        #expect(try await phone.tokens(of: zoneID) == [Data([3])])
    }

    @Test("it goes with the zone", arguments: Door.allCases)
    func zoneGone(_ door: Door) async throws {
        let (phone, _) = try await door.openTwoDevices()
        let zone = CKRecordZone(zoneName: "Notes")
        for token in [Data([1]), Data([2])] {
            try await phone.save(zone)
            #expect(try await phone.tokens(of: zone.zoneID) == [nil])
            try await phone.modify([note("a", in: zone.zoneID)], token)
            #expect(try await phone.tokens(of: zone.zoneID) == [token])
            try await phone.deleteRecordZone(withID: zone.zoneID)
        }
    }

    @Test("of a shared zone everybody has their own, until they leave", arguments: Door.allCases)
    func shared(_ door: Door) async throws {
        let pair = try await SharedPair.open(door)
        try await pair.bob.modify([pair.child("a", in: pair.shared)], Data([2]))
        #expect(try await pair.ada.tokens(of: pair.zoneID) == [nil])
        #expect(try await pair.bob.tokens(of: pair.shared) == [Data([2])])
        try await pair.ada.modify([pair.child("b", in: pair.zoneID)], Data([1]))
        #expect(try await pair.bob.tokens(of: pair.shared) == [Data([2])])
        try await pair.bob.deleteRecordZone(withID: pair.shared)
        #expect(try await pair.ada.tokens(of: pair.zoneID) == [Data([1])])
        let share = try #require(try await pair.ada.record(for: pair.share.recordID) as? CKShare)
        let bob = try await pair.app.alice.shareParticipant(forUserRecordID: try await pair.app.bob.userRecordID())
        bob.permission = .readWrite
        share.addParticipant(bob)
        try await pair.ada.save(share)
        try await SharedPair.accept(pair.share.url, pair.app.bob)
        #expect(try await pair.bob.tokens(of: pair.shared) == [nil])
    }

    @Test("an app whose answer is lost finds out whether the server has what it sent")
    func lostAnswer() async throws {
        let cloud = try await LocalCloud()
        let phone = cloud.account("ada").container.privateCloudDatabase
        let zoneID = try await phone.save(CKRecordZone(zoneName: "Notes")).zoneID
        for (number, fault) in [LocalCloud.Fault.dropBeforeCommit, .dropAfterCommit].enumerated() {
            cloud.faults.inject(fault, on: .saveRecords)
            let token = Data([UInt8(number)])
            #expect(
                await code { try await phone.modify([note("n\(number)", in: zoneID)], token) } == .serverResponseLost)
            #expect(try await phone.tokens(of: zoneID) == [number == 0 ? nil : token])
        }
    }

    @Test func keptResultsHaveIt() throws {
        let event = OperationEvent(.zoneEnd, CKRecordZone.ID(zoneName: "Z"), data: Data([1, 2]))
        #expect(OperationEvent(archived: event.archived)?.data == Data([1, 2]))
        #expect(OperationEvent(archived: OperationEvent(.end).archived)?.data == nil)
    }
}

extension Door {
    /// One person's private database on two devices.
    fileprivate func openTwoDevices() async throws -> (CKDatabase, CKDatabase) {
        switch self {
        case .inProcess:
            let account = try await LocalCloud().account("ada")
            return (
                account.device("phone").container.privateCloudDatabase,
                account.device("laptop").container.privateCloudDatabase
            )
        case .http:
            let tenant = try await Tenant(in: try await Cloud.shared())
            let container = try #require(ContainerIdentifier(tenant.container))
            let other = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container)
            func database(_ webAuthToken: String) -> CKDatabase {
                let endpoint = HTTPCloudTransport.Endpoint(
                    server: tenant.cloud.server.url, container: container, environment: .development,
                    apiToken: tenant.apiToken, webAuthToken: webAuthToken)
                return CKContainer(
                    identifier: tenant.container, transport: HTTPCloudTransport(endpoint, http: Database.http),
                    keyStore: MemoryKeyStore()
                ).privateCloudDatabase
            }
            return (database(tenant.alice.webAuthToken), database(other.webAuthToken))
        }
    }
}

extension CKDatabase {
    /// Saves records with a token.
    /// - Throws: what concerns all of them, or one.
    fileprivate func modify(_ records: [CKRecord], _ token: Data?, atomically: Bool = true) async throws {
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        operation.isAtomic = atomically
        operation.clientChangeTokenData = token
        let failures = Once<Result<Void, any Error>>()
        operation.perRecordSaveBlock = { _, result in
            if case .failure(let error) = result { failures.arrive(.failure(error)) }
        }
        operation.modifyRecordsResultBlock = { failures.arrive($0) }
        add(operation)
        try await failures.value.get()
    }

    /// What a fetch of a whole zone is given, page by page.
    fileprivate func tokens(of zoneID: CKRecordZone.ID, limit: Int? = nil) async throws -> [Data?] {
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: .init(resultsLimit: limit)])
        let pages = Pages()
        operation.recordZoneChangeTokensUpdatedBlock = { _, _, data in pages.add(.success(data)) }
        operation.recordZoneFetchResultBlock = { _, result in pages.add(result.map(\.clientChangeTokenData)) }
        await end(of: operation) { _ in add(operation) }
        return try pages.all.map { try $0.get() }
    }
}

private final class Pages: Sendable {
    private let pages = Lock<[Result<Data?, any Error>]>([])
    func add(_ page: Result<Data?, any Error>) { pages.withLock { $0.append(page) } }
    var all: [Result<Data?, any Error>] { pages.withLock { $0 } }
}
