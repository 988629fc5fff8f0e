import Foundation
import StratusCompatibility
import Testing

/// Code as it is written for Apple's platforms.
@Suite struct NSPredicateTests {
    @Test func formatsWithArgumentsOfEveryKind() {
        let (name, date, uuid) = ("Ada", Date(), UUID())
        let predicate = NSPredicate(format: "title BEGINSWITH %@ AND count > %d", name, 3)
        #expect(predicate.evaluate(with: ["title": "Ada L", "count": 4]))
        #expect(NSPredicate(format: "a == %@", date as NSDate).evaluate(with: ["a": date]))
        #expect(NSPredicate(format: "a == %@", date as any CVarArg).evaluate(with: ["a": date]))
        #expect(NSPredicate(format: "a == %@", date).evaluate(with: ["a": date as NSDate]))
        #expect(NSPredicate(format: "a == %@", uuid as any CVarArg).evaluate(with: ["a": uuid]))
        #expect(NSPredicate(format: "%K == %@", "a", NSNumber(value: 5)).evaluate(with: ["a": 5]))
        #expect(NSPredicate(format: "a IN %@", ["x", "y"]).evaluate(with: ["a": "y"]))
        #expect(NSPredicate(format: "a IN %@", ["x", "y"] as NSArray).evaluate(with: ["a": "y"]))
        #expect(NSPredicate(format: "a == %@", NSNull()).evaluate(with: [:] as [String: Any]))
        #expect(
            NSPredicate(format: "a == %ld AND b == %f AND c == %@", 5, 2.5, true as NSNumber).evaluate(with: [
                "a": 5, "b": 2.5, "c": true,
            ]))
        #expect(NSPredicate(format: "a == %@", argumentArray: [5]).evaluate(with: ["a": 5]))
        #expect(NSPredicate(format: "TRUEPREDICATE", argumentArray: nil).evaluate(with: nil))
        #expect(NSPredicate(format: "a == %@", Data([1])).evaluate(with: ["a": Data([1])]))
        #expect(
            NSPredicate(format: "a == %@", CLLocation(latitude: 1, longitude: 2)).description.hasPrefix(
                "a == CAST({1.0, 2.0"))
    }

    @Test func predicatesHaveTheClassesOfTheirKind() {
        let comparison = NSPredicate(format: "a == 1")
        let compound = NSPredicate(format: "a == 1 OR b == 2")
        #expect((compound as? NSCompoundPredicate)?.compoundPredicateType == .or)
        #expect((compound as? NSCompoundPredicate)?.subpredicates == [comparison, NSPredicate(format: "b == 2")])
        #expect((NSPredicate(format: "NOT a == 1") as? NSCompoundPredicate)?.compoundPredicateType == .not)
        #expect(NSPredicate(format: "TRUEPREDICATE") == NSPredicate(value: true))
        #expect(NSPredicate(format: "a == 1") == NSPredicate(format: "a = 1"))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(format: "a == 2"))
        #expect(NSPredicate(format: "a == 1").hash == NSPredicate(format: "(a == 1)").hash)
        #expect(
            NSPredicate(format: "a == 1 AND b == 2").copy() as? NSPredicate == NSPredicate(format: "a == 1 AND b == 2"))
    }

    @Test func treesOfFoundationsOwnPredicates() {
        let a = NSPredicate(format: "a == 1")
        let tree = a.predicateTree
        #expect(NSPredicate(value: true).predicateTree == .constant(true))
        #expect(NSPredicate(value: false).predicateTree == .constant(false))
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [a, a]).predicateTree == .and([tree, tree]))
        #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).predicateTree == .or([]))
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: a).predicateTree == .not(tree))
        #expect(
            NSCompoundPredicate(type: .and, subpredicates: [NSPredicate(value: true)]).predicateTree
                == .and([.constant(true)]))
        let block = NSPredicate { object, _ in object as? Int == 5 }
        guard case .code(let object) = block.predicateTree else {
            Issue.record("a block is code")
            return
        }
        #expect(object.object === block)
        let both = NSPredicate(.and([.code(object), NSPredicate(format: "SELF > 4").predicateTree]))
        #expect(both.evaluate(with: 5))
        #expect(!both.evaluate(with: 6))
        let mixed = NSCompoundPredicate(andPredicateWithSubpredicates: [a, NSPredicate(format: "b == $V")])
        #expect(mixed.evaluate(with: ["a": 1, "b": 2], substitutionVariables: ["V": 2]))
        #expect(mixed.withSubstitutionVariables(["V": 2]).evaluate(with: ["a": 1, "b": 2]))
    }

    @Test func treesCrossThreads() async {
        let tree = NSPredicate(format: "a == %@ AND b IN %@", "x", [1, 2]).predicateTree
        let same = await Task.detached { NSPredicate(tree).evaluate(with: ["a": "x", "b": 2]) }.value
        #expect(same)
    }

    @Test func objectsCanStandInFormats() {
        #expect(String(format: "%@ %@", "x", CLLocation(latitude: 1, longitude: 2)).hasPrefix("x <+1.00"))
        #expect(String(format: "%@|%d", ["a"], 5) == "[\"a\"]|5")
    }

    /// Ten thousand of each, so that an object that is not released, or twice, shows.
    @Test func predicatesAreReleased() {
        weak var gone: NSPredicate?
        final class Token: NSObject {}
        weak var token: Token?
        for _ in 0..<10_000 {
            let object = Token()
            let predicate = NSPredicate(format: "a == %@ AND NOT b IN %@", object, [object])
            #expect(predicate.evaluate(with: ["a": object, "b": 5]))
            (gone, token) = (predicate, object)
        }
        #expect(gone == nil)
        #expect(token == nil)
    }
}
