import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// A deleted container leaves nothing, and a crash in between is no end of it.
@Suite struct ContainerDeletionTests {
    private func code<Result>(_ body: () async throws -> Result) async throws -> CloudError.Code? {
        do {
            _ = try await body()
            return nil
        } catch let error as CloudError {
            return error.code
        }
    }

    private static func entries(of partition: Partition, _ cloud: TestCloud) async throws -> [StoreEntry] {
        try await cloud.store.read(partition) { transaction in
            try transaction.entries(in: KeyRange(lower: Key(), upper: Key().afterAllWithThisPrefix), limit: .max)
        }
    }

    @Test(arguments: Engine.allCases)
    func nothingIsLeftButTheCounters(_ engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let (service, context) = (cloud.service, cloud.context)
        try await service.createAccount(email: "a@example.org", password: "correct horse")
        let name = try await service.userRecordName(email: "a@example.org", in: context)
        let person = Caller(context: context, principal: .user(name))
        try await service.setDiscoverable(true, email: "a@example.org", in: context)
        let token = try await service.createAPIToken(for: context, name: "t")
        _ = try await service.createSession(email: "a@example.org", context: context)
        let first = try await cloud.modify([.make(.create, "p", ["a": .integer(1)])], in: .public, as: person)
        _ = try await cloud.modify([.make(.create, "r", ["a": .integer(1)])], as: person)
        let tag = try #require(first.first?.saved?.recordChangeTag)

        let contents = try await service.contents(of: context.container)
        #expect(contents.environments.map(\.users) == [1, 0] && contents.environments.map(\.credentials) == [1, 0])
        #expect(contents.environments[0].usage.records >= 2)

        try await service.deleteContainer(context.container)
        #expect(try await code { try await service.deleteContainer(context.container) } == .notFound)
        #expect(try await code { try await service.contents(of: context.container) } == .notFound)
        let credentials = Credentials(ClientTokens(apiToken: token))
        #expect(try await code { try await service.authenticate(credentials, for: context) } == .authenticationFailed)
        // A request that was under way writes nothing.
        #expect(
            try await code { try await cloud.modify([.make(.create, "q")], in: .public, as: person) } == .tryAgainLater)
        let prefix = context.container.rawValue
        for partition in try await cloud.store.partitions() where partition.name.hasPrefix(prefix + "/") {
            let isKept = partition == .publicDatabase(of: context) || partition.name.split(separator: "/").count == 2
            let entries = try await Self.entries(of: partition, cloud)
            #expect(isKept || entries.isEmpty, "\(partition.name)")
        }
        let traces = try await Self.entries(of: .directory, cloud).filter { entry in
            String(decoding: entry.key.bytes + entry.value, as: UTF8.self).contains(prefix)
        }
        #expect(traces.isEmpty, "\(traces.map(\.key))")

        try await service.createContainer(context.container)
        let again = try await service.userRecordName(email: "a@example.org", in: context)
        #expect(again != name)
        #expect(try await cloud.lookup(["p"], in: .public).first?.error?.code == .notFound)
        let saved = try await cloud.modify([.make(.create, "p", ["a": .text("x")])], in: .public)
        #expect(saved.first?.saved != nil && saved.first?.saved?.recordChangeTag != tag)
        await cloud.store.close()
    }

    @Test func whatACrashCutShortIsFinishedAtTheNextStart() async throws {
        let cloud = try await TestCloud()
        let container = cloud.context.container
        _ = try await cloud.modify([.make(.create, "r", ["a": .integer(1)])], in: .public)
        _ = try await cloud.store.write(.directory) { transaction in
            transaction.clear(DirectoryKey.container(container))
            transaction.set(DirectoryKey.containerDeletion(container), ContainerDeletion(container))
        }
        let next = try await TestCloud(restarting: cloud)
        #expect(try await code { try await next.service.createContainer(container) } == .tryAgainLater)
        try await next.service.resumeDeferredWork()
        try await next.service.createContainer(container)
        #expect(try await next.lookup(["r"], in: .public).first?.error?.code == .notFound)
    }
}
