import StratusCloudStore
import StratusWorkers
import Testing

@Suite struct MemoryFaultTests {
    private let home = Partition("home")

    @Test func aFaultBeforeTheCommitLosesItAndOneAfterKeepsIt() async throws {
        let store = MemoryStore()
        store.failNextCommit(with: StoreError(.diskFull, "no room"))
        store.failNextCommit(with: StoreError(.ioFailure, "no answer"), afterCommit: true)
        var error = await #expect(throws: StoreError.self) { try await store.set(Key("a"), [1], in: home) }
        #expect(error?.code == .diskFull)
        #expect(try await store.all(in: home).isEmpty)
        error = await #expect(throws: StoreError.self) { try await store.set(Key("b"), [2], in: home) }
        #expect(error?.code == .ioFailure)
        #expect(try await store.all(in: home).map(\.key) == [Key("b")])
        try await store.set(Key("c"), [3], in: home)
    }

    @Test func commitsAreObservedInOrder() async throws {
        let store = MemoryStore()
        let seen = Lock<[MemoryStore.Commit]>([])
        store.observeCommits { commit in seen.withLock { $0.append(commit) } }
        try await store.write(home) {
            $0.set(Key("b"), [1]); $0.set(Key("a"), [1])
        }
        try await store.write(home) { _ in }
        try await store.write(home) { $0.clear(KeyRange("a", "c")) }
        let commits = seen.withLock { $0 }
        #expect(commits.map(\.keys) == [[Key("a"), Key("b")], []])
        #expect(commits.map(\.clearedRanges) == [[], [KeyRange("a", "c")]])
    }
}
