import StratusCloudStore
import Testing

@Suite struct LimitTests {
    private let home = Partition("home")

    @Test(arguments: Engine.allCases) func theLargestKeyAndValueFit(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let key = Key(value(StoreLimits.keySize))
            let large = value(StoreLimits.valueSize)
            try await store.set(key, large, in: home)
            #expect(try await store.get(key, in: home) == large)
            let range = KeyRange(lower: key, upper: key.next)
            let found = try await store.read(home) { try $0.entries(in: range, limit: 9) }
            #expect(found.map(\.key) == [key])
            let behind = KeyRange(lower: key.next, upper: Key([0xFF]))
            #expect(try await store.read(home) { try $0.entries(in: behind, limit: 9) }.isEmpty)
            try await store.write(home) { $0.clear(range) }
            #expect(try await store.get(key, in: home) == nil)
        }
    }

    @Test(arguments: Engine.allCases) func aByteMoreIsRefusedByName(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let cases: [(String, @Sendable (any WriteTransaction) -> Void)] = [
                ("keySize", { $0.set(Key(value(StoreLimits.keySize + 1)), [1]) }),
                ("keySize", { $0.clear(Key(value(StoreLimits.keySize + 1))) }),
                ("valueSize", { $0.set(Key("k"), value(StoreLimits.valueSize + 1)) }),
            ]
            for (limit, violate) in cases {
                let error = await #expect(throws: StoreError.self) {
                    try await store.write(home) {
                        $0.set(Key("a"), [1]); violate($0); $0.set(Key("b"), [1])
                    }
                }
                #expect(error?.code == .tooLarge)
                #expect(error?.message.contains(limit) == true)
            }
            #expect(try await store.all(in: home).isEmpty)
            #expect(try await store.get(Key(value(StoreLimits.keySize + 1)), in: home) == nil)
        }
    }

    @Test(arguments: Engine.allCases) func aTransactionIsLimited(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let error = await #expect(throws: StoreError.self) {
                try await store.write(home) { transaction in
                    // The same key and array again and again: what counts is what is written.
                    let large = [UInt8](repeating: 7, count: StoreLimits.valueSize)
                    for _ in 0...(StoreLimits.transactionSize / StoreLimits.valueSize) {
                        transaction.set(Key("k"), large)
                    }
                }
            }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("transactionSize") == true)
            #expect(try await store.all(in: home).isEmpty)
        }
    }
}
