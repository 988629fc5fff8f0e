import Foundation
import StratusCompatibility
import Testing

@Suite struct PredicateMacroTests {
    struct Boss { var title: String }

    struct Person {
        var name: String
        var age: Int
        var nick: String?
        var tags: [String]
        var boss: Boss
        var isActive: Bool
        var born: Date
        var scores: [String: Int]
        var height: Double
        var shouted: String { name.uppercased() }
    }

    private static let ada = Person(
        name: "Ada", age: 36, nick: nil, tags: ["x", "yy"], boss: Boss(title: "Dr"), isActive: true,
        born: Date(timeIntervalSinceReferenceDate: 5),
        scores: ["a": 1], height: 1.5)

    /// The tree prints as expected and means the same as the macro's own evaluation.
    private func check(
        _ predicate: Predicate<Person>, _ format: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let object = try #require(NSPredicate(predicate), sourceLocation: sourceLocation)
        #expect(object.description == format, sourceLocation: sourceLocation)
        #expect(object.evaluate(with: Self.ada) == (try predicate.evaluate(Self.ada)), sourceLocation: sourceLocation)
    }

    @Test func logicAndComparisons() throws {
        let (least, name) = (3, "Ada")
        try check(
            #Predicate { $0.name == name && $0.age > least && $0.boss.title != "CEO" },
            #"name == "Ada" AND age > 3 AND boss.title != "CEO""#)
        try check(#Predicate { $0.age <= 3 || !($0.age >= 4) }, "age <= 3 OR NOT age >= 4")
        try check(#Predicate { $0.isActive }, "isActive == TRUE")
        try check(#Predicate { !$0.isActive && true }, "NOT isActive == TRUE AND TRUEPREDICATE")
        try check(#Predicate { $0.nick == nil }, "nick == nil")
        try check(#Predicate { ($0.nick ?? "") == "z" }, #"TERNARY(nick != nil, nick, "") == "z""#)
        try check(#Predicate { ($0.age > 3) == $0.isActive }, "TERNARY(age > 3, TRUE, FALSE) == isActive")
        try check(#Predicate { ($0.isActive ? $0.age : 0) == 36 }, "TERNARY(isActive == TRUE, age, 0) == 36")
        let cutoff = Date(timeIntervalSinceReferenceDate: 9)
        try check(#Predicate { $0.born < cutoff }, #"born < CAST(9.0, "NSDate")"#)
    }

    @Test func arithmetic() throws {
        try check(#Predicate { $0.age * 2 + 1 - $0.age == 37 }, "age * 2 + 1 - age == 37")
        try check(
            #Predicate { $0.age / 5 == 7 && $0.age % 5 == 1 && -$0.age < 0 },
            "age / 5 == 7 AND age %% 5 == 1 AND -1 * age < 0")
        try check(#Predicate { $0.height / 2.0 < 1.0 }, "height / 2.0 < 1.0")
    }

    @Test func textsAndCollections() throws {
        let same = ComparisonResult.orderedSame
        try check(#Predicate { $0.name.contains("d") }, #"name CONTAINS "d""#)
        try check(#Predicate { $0.name.starts(with: "A") }, #"name BEGINSWITH "A""#)
        try check(#Predicate { $0.name.localizedStandardContains("DA") }, #"name CONTAINS[cdl] "DA""#)
        try check(
            #Predicate { $0.name.caseInsensitiveCompare("aDa") == same }, #"name ==[c] "aDa""#)
        try check(#Predicate { $0.tags.contains("x") }, #"tags CONTAINS "x""#)
        let names = ["Ada", "Bob"]
        try check(#Predicate { names.contains($0.name) }, #"name IN {"Ada", "Bob"}"#)
        try check(
            #Predicate { $0.tags.count == 2 && !$0.tags.isEmpty && !$0.name.isEmpty },
            #"count(tags) == 2 AND NOT count(tags) == 0 AND NOT name == """#)
        try check(#Predicate { $0.tags.first == "x" && $0.tags[1] == "yy" }, #"tags[FIRST] == "x" AND tags[1] == "yy""#)
        try check(#Predicate { $0.tags.contains { $0 == "x" } }, #"count(SUBQUERY(tags, $x1, $x1 == "x")) > 0"#)
        try check(#Predicate { $0.tags.allSatisfy { $0 != "z" } }, #"count(SUBQUERY(tags, $x1, NOT $x1 != "z")) == 0"#)
        try check(
            #Predicate { $0.tags.filter { $0 == "x" }.count == 1 }, #"count(SUBQUERY(tags, $x1, $x1 == "x")) == 1"#)
        try check(#Predicate { $0.scores["a"] == 1 }, #"scores["a"] == 1"#)
        try check(#Predicate { $0.tags.max() == "yy" }, #"max(tags) == "yy""#)
    }

    @Test func ranges() throws {
        try check(#Predicate { (1...50).contains($0.age) }, "age BETWEEN {1, 50}")
        try check(#Predicate { (1..<36).contains($0.age) }, "age >= 1 AND age < 36")
        let (closed, open) = (30...36, 36...)
        try check(#Predicate { closed.contains($0.age) }, "age BETWEEN {30, 36}")
        try check(#Predicate { open.contains($0.age) }, "age >= 36")
    }

    @Test func whatHasNoCounterpartIsRefused() throws {
        #expect(throws: UnsupportedPredicateExpression.self) {
            try #Predicate<Person> { $0.shouted == "ADA" }.predicateTree()
        }
        #expect(NSPredicate(#Predicate<Person> { $0.shouted == "ADA" }) == nil)
        #expect(throws: UnsupportedPredicateExpression.self) {
            try #Predicate<Person, Person> { $0.age == $1.age }.predicateTree()
        }
    }
}
