import StratusCloudStore
import StratusSeeds
import Testing

/// Random transactions, compared step by step with dictionaries.
@Suite struct ModelTests {
    @Test(arguments: Engine.allCases) func randomTransactionsActLikeDictionaries(engine: Engine) async throws {
        let seed = Seed.draw()
        print("\(engine) seed \(seed)")
        var random = SeededRandom(seed: seed)
        try await engine.withStore { (store) async throws in
            var model = StoreModel()
            for _ in 0..<400 {
                let plan = TransactionPlan(&random)
                let expected = model.run(plan)
                var found: [Answer] = []
                do {
                    found = try await store.write(plan.partition) { try plan.run($0) }
                    #expect(!plan.throwsAtEnd, "seed \(seed)")
                } catch is Refusal {
                    #expect(plan.throwsAtEnd, "seed \(seed)")
                    continue
                }
                try #require(found == expected, "seed \(seed), plan \(plan)")
                let all = try await store.read(plan.partition) { try $0.entries(in: Key.all, limit: .max) }
                try #require(all == model.entries(plan.partition), "seed \(seed), plan \(plan)")
            }
        }
    }

    @Test(arguments: Engine.allCases) func entriesShownOneByOneAreThoseRead(engine: Engine) async throws {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        let home = Partition("home")
        try await engine.withStore { (store) async throws in
            try await store.write(home) { transaction in
                // More than are read in one step, and some that are larger than a step.
                for number in 0..<400 {
                    transaction.set(Key([1, UInt8(number / 256), UInt8(number % 256)]), value(number * 7 % 1_000))
                }
                for number in 0..<4 { transaction.set(Key([2, UInt8(number)]), value(700_000)) }
            }
            for _ in 0..<60 {
                let bounds = (0..<2).map { _ in Key([1, UInt8.random(in: 0...2, using: &random)]) }
                let range = Bool.random(using: &random) ? KeyRange(lower: bounds[0], upper: bounds[1]) : Key.all
                let limit = [0, 1, 15, 16, 17, 100, .max].randomElement(using: &random) ?? 1
                let reverse = Bool.random(using: &random)
                let last = [1, 16, 50, .max].randomElement(using: &random) ?? 1
                try await store.read(home) { transaction in
                    let read = try transaction.entries(in: range, limit: limit, reverse: reverse)
                    var shown: [StoreEntry] = []
                    try transaction.forEach(in: range, limit: limit, reverse: reverse) { key, value in
                        shown.append(StoreEntry(key: Key(Array(key)), value: Array(value)))
                        return shown.count < last
                    }
                    #expect(shown == Array(read.prefix(last)), "seed \(seed)")
                    func refuse() throws {
                        try transaction.forEach(in: range, limit: limit, reverse: reverse) { _, _ in throw Refusal() }
                    }
                    if read.isEmpty { try refuse() } else { #expect(throws: Refusal.self) { try refuse() } }
                }
            }
        }
    }
}

enum Step: Sendable {
    case get([Key])
    case entries(KeyRange, limit: Int, reverse: Bool)
    case set(Key, [UInt8])
    case clear(Key)
    case clearRange(KeyRange)
}

enum Answer: Equatable, Sendable {
    case values([[UInt8]?])
    case entries([StoreEntry])
}

struct TransactionPlan: Sendable {
    let partition: Partition
    let steps: [Step]
    let throwsAtEnd: Bool

    init(_ random: inout SeededRandom) {
        partition = Partition("p\(Int.random(in: 0..<3, using: &random))")
        steps = (0..<Int.random(in: 1...25, using: &random)).map { _ in Step(&random) }
        throwsAtEnd = Int.random(in: 0..<5, using: &random) == 0
    }

    func run(_ transaction: any WriteTransaction) throws -> [Answer] {
        var answers: [Answer] = []
        for step in steps {
            switch step {
            case .get(let keys): answers.append(.values(try transaction.get(keys)))
            case .entries(let range, let limit, let reverse):
                answers.append(.entries(try transaction.entries(in: range, limit: limit, reverse: reverse)))
            case .set(let key, let value): transaction.set(key, value)
            case .clear(let key): transaction.clear(key)
            case .clearRange(let range): transaction.clear(range)
            }
        }
        if throwsAtEnd { throw Refusal() }
        return answers
    }
}

extension Step {
    init(_ random: inout SeededRandom) {
        func key(_ random: inout SeededRandom) -> Key {
            let alphabet: [UInt8] = [0, 1, 0x61, 0xFE]
            return Key(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
        }
        func range(_ random: inout SeededRandom) -> KeyRange {
            KeyRange(lower: key(&random), upper: Bool.random(using: &random) ? key(&random) : Key([0xFF]))
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: self = .get((0..<Int.random(in: 0...4, using: &random)).map { _ in key(&random) })
        case 1...3:
            let limit = [0, 1, 2, 3, 10, .max].randomElement(using: &random) ?? 1
            self = .entries(range(&random), limit: limit, reverse: Bool.random(using: &random))
        case 4...7:
            let size = [0, 1, 32, 100, 101, 600, 9_000].randomElement(using: &random) ?? 1
            self = .set(key(&random), value(size, Int.random(in: 0..<256, using: &random)))
        case 8: self = .clear(key(&random))
        default: self = .clearRange(range(&random))
        }
    }
}

/// The naive store.
struct StoreModel {
    private var partitions: [Partition: [Key: [UInt8]]] = [:]

    func entries(_ partition: Partition) -> [StoreEntry] {
        (partitions[partition] ?? [:]).map { StoreEntry(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    mutating func run(_ plan: TransactionPlan) -> [Answer] {
        var values = partitions[plan.partition] ?? [:]
        var answers: [Answer] = []
        for step in plan.steps {
            switch step {
            case .get(let keys): answers.append(.values(keys.map { values[$0] }))
            case .entries(let range, let limit, let reverse):
                let inRange = values.filter { range.contains($0.key) }
                    .map { StoreEntry(key: $0.key, value: $0.value) }
                    .sorted { reverse ? $0.key > $1.key : $0.key < $1.key }
                answers.append(.entries(Array(inRange.prefix(limit))))
            case .set(let key, let value): values[key] = value
            case .clear(let key): values[key] = nil
            case .clearRange(let range): values = values.filter { !range.contains($0.key) }
            }
        }
        if !plan.throwsAtEnd { partitions[plan.partition] = values }
        return answers
    }
}
