import Foundation
import StratusCloudStore
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusCloudServer

/// Where requests are answered while nothing else is to be done.
@Suite struct LoneRequestTests {
    private static let zone =
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
    private static let changes = #"{"zones":[{"zoneID":{"zoneName":"Z"}}]}"#

    private func post(
        _ operation: String, _ body: String, _ cloud: TestCloud, _ token: String
    ) async throws {
        let response = try await cloud.call("POST", "private/" + operation, token: token, body: body)
        #expect(response.status == 200, "\(response.body)")
    }

    /// Who waits for a page does nothing else, so each thread that must be woken on the way is a good part of what it
    /// takes.
    @Test func aLonePageOfChangesIsReadOnTheThreadThatSendsIt() async throws {
        let store = ThreadNotingStore()
        let cloud = try await TestCloud(store: store)
        let token = try await cloud.webAuthToken()
        try await post("zones/modify", Self.zone, cloud, token)
        // From then on the server knows who asks.
        try await post("changes/zone", Self.changes, cloud, token)

        // What came before may be on its way out, so that the server is not alone with a request yet.
        try await wait(for: "a page that is read where it is sent") {
            let page = try await store.noting { try await post("changes/zone", Self.changes, cloud, token) }
            // A lookup of one record is always answered there, a list of zones, which may be long, never.
            let lookup = try await store.noting {
                try await post("records/lookup", #"{"records":[{"recordName":"r"}]}"#, cloud, token)
            }
            let list = try await store.noting { try await post("zones/list", "{}", cloud, token) }
            return page.count == 1 && page == lookup && page.isDisjoint(with: list)
        }
        await cloud.stop()
    }

    @Test func aFileOverWebDAVIsReadOnTheThreadThatSendsIt() async throws {
        let store = ThreadNotingStore()
        let dav = try await WebDAVCloud(store: store)
        #expect(try await dav.status("PUT", "f", body: "content") == 201)
        let get = try await store.noting {
            let answer = try await dav.send("GET", "f")
            #expect(answer.body == "content")
        }
        let head = try await store.noting {
            let status = try await dav.status("HEAD", "f")
            #expect(status == 200)
        }
        let list = try await store.noting {
            let status = try await dav.status("PROPFIND", "", [("Depth", "1")])
            #expect(status == 207)
        }
        #expect(get.count == 1 && get == head && get.isDisjoint(with: list))
        await dav.stop()
    }

    @Test func aPageBesideAnotherRequestIsReadByAWorker() async throws {
        let store = ThreadNotingStore()
        let cloud = try await TestCloud(store: store)
        let token = try await cloud.webAuthToken()
        try await post("zones/modify", Self.zone, cloud, token)
        try await wait(for: "a page that a worker reads beside one that is read where it is sent") {
            let lone = try await store.noting { try await post("changes/zone", Self.changes, cloud, token) }
            // While the first of two reads, the second comes and goes.
            let both = try await store.noting {
                store.beforeNextRead { [self] in try? await post("changes/zone", Self.changes, cloud, token) }
                try await post("changes/zone", Self.changes, cloud, token)
            }
            return lone.count == 1 && both.count == 2 && both.isSuperset(of: lone)
        }
        await cloud.stop()
    }
}

/// A store that notes on which threads it is read.
private final class ThreadNotingStore: CloudStore {
    private let base = MemoryStore()
    private let threads = Lock<Set<UInt>>([])
    private let interlude = Lock<(@Sendable () async -> Void)?>(nil)

    /// Where `body` made requests read.
    func noting(_ body: () async throws -> Void) async rethrows -> Set<UInt> {
        threads.withLock { $0 = [] }
        try await body()
        return threads.withLock { $0 }
    }

    func beforeNextRead(_ body: @escaping @Sendable () async -> Void) { interlude.withLock { $0 = body } }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        let interlude = interlude.withLock { interlude in
            defer { interlude = nil }
            return interlude
        }
        await interlude?()
        threads.withLock { _ = $0.insert(UInt(pthread_self())) }
        return try await base.read(partition, body)
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition, body)
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}
