import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What clients give with their modifications, as zones keep it.
@Suite struct ClientTokenTests {
    private let cloud: TestCloud

    init() async throws {
        cloud = try await TestCloud()
        try await cloud.makeZone("Z")
    }

    @Test("It is there after a restart, and of the latest clients only")
    func clients() async throws {
        let clients = (0...ServiceLimits.clientTokensPerUser).map { client("\($0)") }
        for (number, client) in clients.dropLast().enumerated() {
            cloud.clock.withLock { $0 += 1 }
            try await give([UInt8(number)], as: client)
        }
        for (number, client) in clients.dropLast().enumerated() {
            #expect(try await token(of: client) == [UInt8(number)])
        }
        // The first is not the oldest any more.
        cloud.clock.withLock { $0 += 1 }
        try await give([100], as: clients[0])
        cloud.clock.withLock { $0 += 1 }
        try await give([101], as: clients[ServiceLimits.clientTokensPerUser])
        let restarted = cloud.restarted()
        func kept(_ number: Int) async throws -> [UInt8]? {
            try await restarted.changes("Z", as: clients[number]).clientChangeToken
        }
        #expect(try await kept(0) == [100])
        #expect(try await kept(1) == nil)
        #expect(try await kept(2) == [2])
        #expect(try await kept(ServiceLimits.clientTokensPerUser) == [101])
        #expect(try await rows().count == ServiceLimits.clientTokensPerUser)
    }

    @Test("A session tells clients apart, and not what they call themselves")
    func sessions() async throws {
        var phone = client("same"), laptop = client("same")
        (phone.session, laptop.session) = ([1], [2])
        try await give([1], as: phone)
        #expect(try await token(of: phone) == [1])
        #expect(try await token(of: laptop) == nil)
        phone.clientID = "other"
        #expect(try await token(of: phone) == [1])
    }

    @Test("A request that comes again does not bring its token back")
    func replay() async throws {
        try await give([1], as: cloud.user(), requestID: "one")
        try await give([2], as: cloud.user(), requestID: "two")
        try await give([1], as: cloud.user(), requestID: "one")
        #expect(try await token(of: cloud.user()) == [2])
    }

    @Test("Zones without a feed keep none, and a deleted zone leaves none")
    func rowsThatStay() async throws {
        for scope in [DatabaseScope.private, .public] {
            let request = ModifyRecordsRequest(operations: [.make(.forceUpdate, "r")], clientChangeToken: [1])
            let results = try await cloud.service.modifyRecords(request, in: scope, as: cloud.user())
            #expect(results.allSatisfy { $0.saved != nil })
        }
        #expect(try await rows().isEmpty)
        #expect(try await rows(of: .publicDatabase(of: cloud.context)).isEmpty)
        try await give([1], as: cloud.user())
        #expect(try await rows().count == 1)
        try await cloud.deleteZone("Z")
        #expect(try await rows().isEmpty)
    }

    @Test("Who is taken out of a share leaves none; who is erased neither")
    func participants() async throws {
        let bob = cloud.user("b")
        let share = try await cloud.share("root", in: "Z", with: [bob])
        let request = ModifyRecordsRequest(
            operations: [.make(.forceUpdate, "root")], zoneID: cloud.place("Z"), clientChangeToken: [2])
        let results = try await cloud.service.modifyRecords(request, in: .shared, as: bob)
        #expect(results.first?.saved != nil, "\(results)")
        #expect(try await cloud.shared("Z", as: bob).clientChangeToken == [2])
        let kept = try await cloud.service.changeTokens(of: bob.authorRecordName, in: cloud.context)
        #expect(kept.map(\.token) == [[2]] && kept.map(\.zoneID) == [cloud.place("Z")])
        _ = try await cloud.update(share.recordName, in: "Z") { $0.participants = [] }
        #expect(try await rows().isEmpty)
    }

    private func client(_ name: String) -> Caller {
        var caller = cloud.user()
        caller.clientID = name
        return caller
    }

    private func give(_ token: [UInt8], as caller: Caller, requestID: String? = nil) async throws {
        let request = ModifyRecordsRequest(
            operations: [.make(.forceUpdate, "r")], zoneID: ZoneID(zoneName: "Z"), requestID: requestID,
            clientChangeToken: token)
        let results = try await cloud.service.modifyRecords(request, in: .private, as: caller)
        #expect(results.first?.saved != nil, "\(results)")
    }

    private func token(of caller: Caller) async throws -> [UInt8]? {
        try await cloud.changes("Z", as: caller).clientChangeToken
    }

    private func rows(of partition: Partition? = nil) async throws -> [StoreEntry] {
        try await cloud.store.read(partition ?? cloud.database) { transaction in
            try transaction.entries(in: KeyRange(prefix: Keyspace.prefix(.clientToken).key), limit: .max)
        }
    }
}
