import Foundation
import StratusCompatibility
import StratusSeeds
import Testing

@testable import StratusCoreData

/// Random predicates find the same objects in SQL as in memory.
@Suite struct FetchAgreementTests {
    /// 20,000 in all.
    @Test(arguments: 0..<4)
    func randomPredicatesFindTheSameInSQLAsInMemory(part: Int) throws {
        let seed = Seed.draw(part)
        var world = try FetchWorld(SeededRandom(seed: seed))
        var found = 0
        for _ in 0..<5_000 {
            let predicate = world.predicate(depth: 3)
            let expected = Set(world.works.filter { NSPredicate(predicate).evaluate(with: $0) }.map(\.key))
            let plan = FetchPlan(entity: "Work", predicate: predicate, result: .keys)
            let keys = try #require(try world.store.fetch(plan).keys)
            #expect(Set(keys) == expected && keys.count == expected.count, "STRATUS_SEED=\(seed): \(predicate)")
            if !expected.isEmpty && expected.count < world.works.count { found += 1 }
        }
        // Predicates that hold for all or for none would prove nothing.
        #expect(found > 1_000, "STRATUS_SEED=\(seed)")
    }
}

/// An object with the values of a row.
final class MemoryRow: NSObject, KeyValueReadable, RowIdentifying {
    let key: RowKey
    var values: [String: Any] = [:]

    init(_ key: RowKey) { self.key = key }

    func rowKey(in layout: StoreLayout) -> RowKey? { key }

    func value(forKey key: String) -> Any? { values[key] }
}

/// The same random objects in a store and in memory.
struct FetchWorld {
    private let fixture: StoreFixture
    let store: SQLiteRowStore
    private(set) var works: [MemoryRow] = []
    private var tags: [MemoryRow] = []
    private var random: SeededRandom

    private static let texts = [
        "", "a", "A", "b", "ab", "aB", "é", "e\u{301}", "É", "K", "\u{212A}", "k;", "a\u{0}b", "a*b", "?", "äöß", "ss",
        "数",
    ]
    private static let numbers: [Int64] = [-2, -1, 0, 1, 2, 3, .max, .min]

    init(_ random: SeededRandom) throws {
        self.random = random
        fixture = try StoreFixture()
        store = try fixture.open(":memory:")
        tags = try (0..<6).map { _ in MemoryRow(try store.make("Tag").key) }
        works = try (0..<30).map { MemoryRow(try store.make($0.isMultiple(of: 2) ? "Book" : "Film").key) }
        let chapters = try (0..<40).map { _ in MemoryRow(try store.make("Chapter").key) }
        for tag in tags { set("name", text(), of: tag) }
        for chapter in chapters {
            set("title", text(), of: chapter)
            if self.random.chance(80) { chapter.values["work"] = works[self.random.below(works.count)] }
        }
        var changes = RowChanges()
        for work in works {
            fill(work)
            work.values["chapters"] = chapters.filter { $0.values["work"] as? MemoryRow === work }
            let own = tags.filter { _ in self.random.chance(30) }
            work.values["tags"] = own
            changes.toMany.append(ToManyChange(owner: work.key, relationship: "tags", added: own.map(\.key)))
        }
        for tag in tags {
            tag.values["works"] = works.filter { ($0.values["tags"] as? [MemoryRow])?.contains(tag) ?? false }
        }
        changes.inserted = try (tags + chapters + works).map { try row($0) }
        _ = try store.save(changes)
    }

    private func row(_ object: MemoryRow) throws -> StoredRow {
        try store.row(object.key, version: 0, object.values.compactMapValues(StoredValue.init(memory:)))
    }

    private func set(_ name: String, _ value: Any?, of object: MemoryRow) { object.values[name] = value }

    private mutating func text() -> String? { random.chance(15) ? nil : Self.texts[random.below(Self.texts.count)] }

    private mutating func fill(_ work: MemoryRow) {
        if random.chance(85) { work.values["count"] = Self.numbers[random.below(Self.numbers.count)] }
        if random.chance(85) { work.values["isNew"] = random.chance(50) }
        if random.chance(85) { work.values["price"] = Decimal(random.below(5)) / 4 }
        if random.chance(85) { work.values["rating"] = Double(random.below(5)) / 2 }
        if random.chance(85) { work.values["made"] = date() }
        if random.chance(85) { work.values["content"] = Data([UInt8(random.below(3))]) }
        if random.chance(85) { work.values["favourite"] = works[random.below(works.count)] }
        // A name of a uniqueness constraint, which two rows must not share.
        work.values["code"] = Self.texts[random.below(Self.texts.count)] + "\(work.key.primaryKey)"
    }

    private mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: Double(random.below(4)) / 2) }

    mutating func predicate(depth: Int) -> PredicateTree {
        if depth > 0, random.chance(45) {
            let members = (0...random.below(3)).map { _ in predicate(depth: depth - 1) }
            return switch random.below(3) {
            case 0: .and(members)
            case 1: .or(members)
            default: .not(members[0])
            }
        }
        return .comparison(comparison())
    }

    private mutating func comparison() -> PredicateComparison {
        let options = PredicateComparison.Options(rawValue: random.chance(60) ? 0 : UInt(random.below(8)))
        let relation = Self.scalar[random.below(Self.scalar.count)]
        if random.chance(30) {
            let path = ["tags.name", "chapters.title", "favourite.tags.name", "chapters.work.count"][random.below(4)]
            if random.chance(25) {
                return PredicateComparison(.keyPath(path), .contains, constant(), options: options)
            }
            let modifier = random.chance(50) ? PredicateComparison.Modifier.any : .all
            return PredicateComparison(.keyPath(path), relation, constant(), modifier: modifier, options: options)
        }
        if random.chance(15) { return ofObjects() }
        if random.chance(10) { return ofSubquery(options) }
        let left = random.chance(40) ? function(depth: 2) : PredicateOperand.keyPath(path())
        switch random.below(8) {
        case 0: return PredicateComparison(left, .in, list(random.below(5)), options: options)
        case 1: return PredicateComparison(left, .between, list(2), options: options)
        case 6: return PredicateComparison(left, .in, .aggregate([constant(), function(depth: 1)]), options: options)
        case 7:
            let bounds = PredicateOperand.aggregate([constant(), .keyPath(path())])
            return PredicateComparison(left, .between, bounds, options: options)
        case 2: return PredicateComparison(left, relation, .keyPath(path()), options: options)
        case 3: return PredicateComparison(constant(), relation, left, options: options)
        case 4 where left.isPathOfAValue:
            return PredicateComparison(left, relation, constant(), modifier: modifier(), options: options)
        default: return PredicateComparison(left, relation, constant(), options: options)
        }
    }

    /// A modifier of a comparison of one value, which stands for a list of it.
    private mutating func modifier() -> PredicateComparison.Modifier {
        random.chance(50) ? .direct : random.chance(50) ? .any : .all
    }

    private mutating func ofObjects() -> PredicateComparison {
        let object = PredicateOperand.value(.object(PredicateObject(works[random.below(works.count)])))
        let tag = PredicateOperand.value(.object(PredicateObject(tags[random.below(tags.count)])))
        switch random.below(5) {
        case 0: return PredicateComparison(.evaluatedObject, random.chance(50) ? .equalTo : .notEqualTo, object)
        case 1: return PredicateComparison(.keyPath("favourite.favourite"), .equalTo, object)
        case 2: return PredicateComparison(.keyPath("tags"), .contains, tag)
        case 3: return PredicateComparison(.keyPath("favourite"), .equalTo, random.chance(50) ? .evaluatedObject : tag)
        default: return PredicateComparison(tag, .in, .keyPath("favourite.tags"))
        }
    }

    private mutating func ofSubquery(_ options: PredicateComparison.Options) -> PredicateComparison {
        let relation = Self.scalar[random.below(6)]
        let name = PredicateOperand.member(.variable("x"), keyPath: random.chance(50) ? "name" : "works.@count")
        let parts: [PredicateTree] = [
            .comparison(PredicateComparison(name, relation, constant(), modifier: modifier(), options: options)),
            .comparison(PredicateComparison(.keyPath(path()), relation, constant())),
            .comparison(PredicateComparison(.variable("x"), .in, .keyPath("favourite.tags"))),
        ]
        let inner = random.chance(50) ? parts[random.below(3)] : .or([parts[0], .not(parts[2]), parts[1]])
        let source = PredicateOperand.keyPath(random.chance(60) ? "tags" : "favourite.tags")
        let subquery = PredicateOperand.subquery(source, variable: "x", inner)
        switch random.below(3) {
        case 0:
            let modifier = random.chance(50) ? PredicateComparison.Modifier.any : .all
            return PredicateComparison(
                .member(subquery, keyPath: "name"), relation, constant(), modifier: modifier, options: options)
        case 1:
            let total = random.chance(50) ? "@sum.works.@count" : "@max.name"
            return PredicateComparison(.member(subquery, keyPath: total), relation, constant())
        default:
            return PredicateComparison(
                .member(subquery, keyPath: "@count"), relation, .value(.integer(Int64(random.below(3)))))
        }
    }

    /// A function, without roundings that depend on how numbers are kept.
    private mutating func function(depth: Int) -> PredicateOperand {
        func call(_ function: PredicateFunction, _ arguments: PredicateOperand...) -> PredicateOperand {
            .function(function.rawValue, arguments)
        }
        let argument = depth > 0 && random.chance(30) ? function(depth: depth - 1) : plainPath()
        let text = PredicateOperand.keyPath(["code", "favourite.code"][random.below(2)])
        switch random.below(9) {
        case 0:
            let two = [PredicateFunction.add, .subtract, .multiply][random.below(3)]
            return call(two, argument, random.chance(50) ? number() : plainPath())
        case 1:
            let two = [PredicateFunction.divide, .modulus, .bitwiseAnd, .bitwiseXor, .shiftLeft][random.below(5)]
            return call(two, .keyPath("count"), random.chance(50) ? number() : .keyPath("favourite.count"))
        case 2:
            return call(
                [PredicateFunction.absolute, .floor, .ceiling, .truncated, .noIndex][random.below(5)], argument)
        case 3: return call([PredicateFunction.uppercase, .lowercase, .canonical, .length][random.below(4)], text)
        case 4:
            let key = ["length", "uppercaseString", "intValue", "pathExtension"][random.below(4)]
            return .keyPath((random.chance(50) ? "" : "favourite.") + "code." + key)
        case 5:
            let path = ["tags.name", "chapters.work.count", "chapters.work.rating", "chapters.title"]
            let over = [PredicateFunction.sum, .count, .min, .max, .average, .median][random.below(6)]
            return call(over, .keyPath(path[random.below(path.count)]))
        case 6:
            let path = ["@sum.work.count", "@avg.work.rating", "@min.title", "@max.title", "@sum.title"]
            return .keyPath((random.chance(50) ? "" : "favourite.") + "chapters." + path[random.below(path.count)])
        case 7: return .conditional(predicate(depth: 1), .keyPath("count"), .keyPath("favourite.rating"))
        default: return call(.add, .keyPath(random.chance(50) ? "made" : "favourite.made"), .value(.double(0.5)))
        }
    }

    /// A constant without which functions would have results that are not numbers, which SQLite has null for.
    private mutating func number() -> PredicateOperand {
        switch constant() {
        case .value(.double(let value)) where value.isNaN || value.isInfinite: .value(.integer(3))
        case .value(.decimal): .value(.integer(2))
        case let constant: constant
        }
    }

    /// A path to something else than a decimal number, which functions calculate with as floating point in SQL.
    private mutating func plainPath() -> PredicateOperand {
        let path = path()
        return .keyPath(path.hasSuffix("price") ? String(path.dropLast(5)) + "rating" : path)
    }

    private mutating func path() -> String {
        let last = [
            "code", "count", "isNew", "price", "rating", "made", "content", "tags.@count", "chapters.@count",
            "tags.name.@count", "chapters.work.@count", "chapters.work.@sum.count", "chapters.work.count.@max",
        ]
        let special = ["chapters.@max.work.rating", "favourite"]
        if random.chance(5) { return special[random.below(2)] }
        return ["", "", "favourite.", "favourite.favourite."][random.below(4)] + last[random.below(last.count)]
    }

    private mutating func list(_ count: Int) -> PredicateOperand {
        .value(
            .list(
                (0..<count).map { _ in
                    if case .value(let value) = constant() { value } else { .null }
                }))
    }

    private mutating func constant() -> PredicateOperand {
        switch random.below(8) {
        case 0: .value(.null)
        case 1: .value(.integer(Self.numbers[random.below(Self.numbers.count)]))
        case 2: .value(.double([0.5, 1, 1.5, .nan, .infinity][random.below(5)]))
        case 3: .value(.decimal(Decimal(random.below(5)) / 4))
        case 4: .value(.date(date()))
        case 5: .value(random.chance(50) ? .bool(random.chance(50)) : .data(Data([1])))
        default: .value(.string(Self.texts[random.below(Self.texts.count)]))
        }
    }

    private static let scalar: [PredicateComparison.Relation] = [
        .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .beginsWith,
        .endsWith, .like, .matches,
    ]
}

extension StoredValue {
    fileprivate init?(memory value: Any) {
        switch value {
        case let value as MemoryRow: self = .reference(value.key)
        case let value as Bool: self = .integer(value ? 1 : 0)
        case let value as Int64: self = .integer(value)
        case let value as Decimal: self = .decimal(value)
        case let value as Double: self = .double(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as String: self = .string(value)
        default: return nil
        }
    }
}

extension FetchedRows {
    var keys: [RowKey]? { if case .keys(let keys) = self { keys } else { nil } }
    var rows: [StoredRow]? { if case .rows(let rows) = self { rows } else { nil } }
    var count: Int? { if case .count(let count) = self { count } else { nil } }
}

extension PredicateOperand {
    /// Whether these are keys of a value that SQL takes for a list of it. Data may be a transformable value, and that a list.
    fileprivate var isPathOfAValue: Bool {
        if case .keyPath(let path) = self { !path.hasSuffix("content") } else { false }
    }
}
