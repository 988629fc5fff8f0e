import StratusCloudStore
import Testing

/// What every engine promises about single transactions.
@Suite struct TransactionTests {
    private let home = Partition("home")
    /// Sizes on both sides of everything that an engine may treat differently.
    private static let sizes = [0, 1, 99, 100, 101, 1_000, 4_095, 4_096, 5_000, 100_000]

    @Test(arguments: Engine.allCases) func whatWasWrittenIsRead(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            for size in Self.sizes { try await store.set(Key("k\(size)"), value(size), in: home) }
            for size in Self.sizes { #expect(try await store.get(Key("k\(size)"), in: home) == value(size)) }
            #expect(try await store.get(Key("other"), in: home) == nil)
        }
    }

    @Test(arguments: Engine.allCases) func aValueOfAnySizeReplacesOneOfAnySize(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            for old in Self.sizes {
                for new in Self.sizes {
                    let key = Key("k\(old)-\(new)")
                    try await store.set(key, value(old, 1), in: home)
                    try await store.set(key, value(new, 2), in: home)
                    #expect(try await store.get(key, in: home) == value(new, 2))
                    try await store.write(home) { $0.clear(key) }
                    #expect(try await store.get(key, in: home) == nil)
                }
            }
            #expect(try await store.all(in: home).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func manyKeysComeInTheOrderAsked(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            try await store.set(Key("a"), [1], in: home)
            try await store.set(Key("b"), [2], in: home)
            let values = try await store.read(home) { try $0.get([Key("b"), Key("x"), Key("a"), Key("b")]) }
            #expect(values == [[2], nil, [1], [2]])
        }
    }

    @Test(arguments: Engine.allCases) func rangesAreHalfOpenOrderedAndLimited(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            try await store.write(home) { transaction in
                for name in ["d", "b", "a", "c", "a\u{0}"] { transaction.set(Key(name), Array(name.utf8)) }
            }
            try await store.read(home) { (transaction) throws in
                func names(_ range: KeyRange, _ limit: Int, reverse: Bool = false) throws -> [Key] {
                    try transaction.entries(in: range, limit: limit, reverse: reverse).map(\.key)
                }
                #expect(try names(KeyRange("a", "d"), .max) == ["a", "a\u{0}", "b", "c"].map { Key($0) })
                #expect(try names(KeyRange("a", "d"), 2) == ["a", "a\u{0}"].map { Key($0) })
                #expect(try names(KeyRange("a", "d"), 2, reverse: true) == ["c", "b"].map { Key($0) })
                #expect(try names(KeyRange("d", "a"), 2) == [])
                #expect(try names(KeyRange("a", "a"), 2) == [])
                #expect(try names(KeyRange("a", "d"), 0) == [])
                #expect(try names(KeyRange(prefix: Key("a")), .max) == ["a", "a\u{0}"].map { Key($0) })
            }
        }
    }

    /// Keys that begin alike, of all lengths, with bytes that are negative as signed numbers.
    @Test(arguments: Engine.allCases) func keysAscendByteByByteAsUnsignedNumbers(engine: Engine) async throws {
        var keys: Set<Key> = []
        for length in 1...20 {
            for place in 0..<length {
                for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFE] {
                    var bytes = [UInt8](repeating: 0x61, count: length)
                    bytes[place] = byte
                    keys.insert(Key(bytes))
                }
            }
        }
        let ascending = keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.map { Key($0) }
        try await engine.withStore { (store) async throws in
            // Not in their order, and in several writes.
            let shuffled = ascending.enumerated().sorted { ($0.offset % 7, $0.offset) < ($1.offset % 7, $1.offset) }
            for part in 0..<3 {
                try await store.write(home) { transaction in
                    for (number, entry) in shuffled.enumerated() where number % 3 == part {
                        transaction.set(entry.element, [UInt8(part)])
                    }
                }
            }
            try await store.read(home) { (transaction) throws in
                #expect(try transaction.entries(in: Key.all, limit: .max).map(\.key) == ascending)
                #expect(try transaction.get(ascending).allSatisfy { $0 != nil })
            }
        }
    }

    @Test(arguments: Engine.allCases) func aTransactionReadsItsOwnWrites(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            try await store.write(home) {
                $0.set(Key("a"), [1]); $0.set(Key("b"), [2]); $0.set(Key("c"), [3])
            }
            try await store.write(home) { (transaction) throws in
                transaction.clear(KeyRange("a", "c"))
                transaction.set(Key("b"), [9])
                transaction.clear(Key("c"))
                transaction.set(Key("d"), [4])
                #expect(try transaction.get([Key("a"), Key("b"), Key("c"), Key("d")]) == [nil, [9], nil, [4]])
                #expect(try transaction.entries(in: Key.all, limit: 9).map(\.value) == [[9], [4]])
                #expect(try transaction.entries(in: Key.all, limit: 1, reverse: true).map(\.value) == [[4]])
            }
            #expect(try await store.all(in: home).map(\.value) == [[9], [4]])
        }
    }

    @Test(arguments: Engine.allCases) func whatABodyThrowsComesOutAndNothingIsWritten(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            try await store.set(Key("a"), [1], in: home)
            await #expect(throws: Refusal.self) {
                try await store.write(home) { transaction in
                    transaction.set(Key("a"), [2])
                    transaction.clear(KeyRange("a", "z"))
                    transaction.set(Key("b"), [3])
                    throw Refusal()
                }
            }
            #expect(try await store.all(in: home) == [StoreEntry(key: Key("a"), value: [1])])
            await #expect(throws: Refusal.self) { try await store.read(home) { _ in throw Refusal() } }
        }
    }

    @Test(arguments: Engine.allCases) func partitionsAreApart(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            let partitions =
                (0..<300).map { Partition("p\($0)") } + [Partition(""), Partition("p\u{0}"), Partition("P1")]
            for (number, partition) in partitions.enumerated() {
                try await store.set(Key([0xFF, 0xFE]), value(2, number), in: partition)
                try await store.set(Key(), value(200, number), in: partition)
            }
            try await store.write(partitions[7]) { $0.clear(KeyRange(lower: Key(), upper: Key([0xFF, 0xFF, 0xFF]))) }
            for (number, partition) in partitions.enumerated() {
                let expected = number == 7 ? [] : [value(200, number), value(2, number)]
                #expect(try await store.all(in: partition).map(\.value) == expected)
            }
        }
    }

    @Test(arguments: Engine.allCases) func transactionsAreCounted(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            try await store.set(Key("a"), [1], in: home)
            try await store.write(home) { _ in }
            _ = try await store.get(Key("a"), in: home)
            let statistics = store.statistics()
            #expect(statistics.writeTransactions == 2)
            #expect(statistics.commits == 1)
            #expect(statistics.commitSizes.reduce(0, +) == 1)
            #expect(statistics.readTransactions == 1)
        }
    }

    @Test(arguments: Engine.allCases) func aClosedStoreRefuses(engine: Engine) async throws {
        try await engine.withStore { (store) async throws in
            try await store.set(Key("a"), [1], in: home)
            await store.close()
            await store.close()
            for call in [{ try await store.set(Key("a"), [2], in: home) }, { _ = try await store.all(in: home) }] {
                let error = await #expect(throws: StoreError.self) { try await call() }
                #expect(error?.code == .closed)
            }
        }
    }
}
