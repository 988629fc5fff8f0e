import StratusCloudStore
import StratusWorkers
import Testing

@Suite struct ConcurrencyTests {
    private let home = Partition("home")

    @Test(arguments: Engine.allCases) func noConcurrentIncrementIsLost(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let (callers, rounds) = (32, 25)
            let seen = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<callers {
                    group.addTask {
                        var last: [UInt8] = []
                        for _ in 0..<rounds {
                            last = try await store.write(home) { transaction in
                                let count = try transaction.get(Key("n")).map(number) ?? 0
                                transaction.set(Key("n"), bytes(count + 1))
                                return bytes(count + 1)
                            }
                        }
                        return last
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append(number($1)) }
            }
            #expect(try await store.get(Key("n"), in: home).map(number) == callers * rounds)
            #expect(Set(seen).count == callers)
        }
    }

    @Test(arguments: Engine.allCases) func oneOfManyFindsThatARowIsMissing(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            // Keys of one byte a group looks for once.
            for key in [Key("n"), Key("nn")] {
                for round in 0..<3 {
                    let found = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                        for caller in 0..<64 {
                            group.addTask {
                                try await store.write(home) { transaction in
                                    let found = try transaction.get([Key("other"), key])[1]
                                    if caller % 2 == 0, found == nil { transaction.set(key, bytes(caller)) }
                                    return found
                                }
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    let stored = try await store.get(key, in: home)
                    #expect(stored != nil)
                    #expect(Set(found.compactMap { $0 }).subtracting([stored ?? []]).isEmpty, "round \(round)")
                    try await store.write(home) { $0.clear(key) }
                    #expect(try await store.write(home) { try $0.get(key) } == nil)
                }
            }
        }
    }

    @Test(arguments: Engine.allCases) func aRefusalInAGroupTouchesNobodyElse(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let refused = await withTaskGroup(of: Bool.self) { group in
                for caller in 0..<200 {
                    group.addTask {
                        do {
                            try await store.write(Partition("p\(caller % 3)")) { transaction in
                                transaction.set(Key("k\(caller)"), value(caller))
                                if caller % 2 == 1 { throw Refusal() }
                            }
                            return false
                        } catch { return error is Refusal }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(refused == 100)
            var keys: Set<Key> = []
            for name in ["p0", "p1", "p2"] { keys.formUnion(try await store.all(in: Partition(name)).map(\.key)) }
            #expect(keys == Set(stride(from: 0, to: 200, by: 2).map { Key("k\($0)") }))
        }
    }

    @Test(arguments: Engine.allCases) func aWriteOfACancelledCallerIsMade(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            for index in 0..<20 {
                let caller = Task { try await store.set(Key("k\(index)"), [1], in: home) }
                caller.cancel()
                try await caller.value
            }
            #expect(try await store.all(in: home).count == 20)
        }
    }

    @Test(arguments: Engine.allCases) func closingFinishesWhatWaits(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<50 {
                    group.addTask {
                        do { try await store.set(Key("k\(index)"), value(300), in: home) } catch {
                            #expect((error as? StoreError)?.code == .closed)
                        }
                    }
                }
                group.addTask { await store.close() }
            }
        }
    }

    /// Each writer keeps the sum of all values at zero; no reader ever sees another sum, nor two in one transaction.
    @Test(arguments: Engine.allCases) func aLongReadSeesOneSnapshotWhileWritersCommit(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let readers = WorkerPool(threads: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for round in 0..<40 {
                            try await store.write(home) { transaction in
                                transaction.set(Key("a\(writer)"), bytes(round))
                                transaction.set(Key("z\(writer)"), bytes(-round))
                            }
                        }
                    }
                }
                for _ in 0..<2 {
                    group.addTask(executorPreference: readers) {
                        for _ in 0..<20 {
                            try await store.read(home) { transaction in
                                let first = try transaction.entries(in: Key.all, limit: .max)
                                #expect(first.reduce(0) { $0 + number($1.value) } == 0)
                                for _ in 0..<10 {
                                    #expect(try transaction.entries(in: Key.all, limit: .max) == first)
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

private func bytes(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
private func number(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } }
