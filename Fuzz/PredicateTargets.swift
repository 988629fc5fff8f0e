import StratusCompatibility

/// Predicate formats: what is read is printed as something that reads as the same, and can be asked of anything.
struct PredicateTarget: FuzzTarget {
    let name = "predicate"

    var corpus: [[UInt8]] {
        [
            #"name ==[cd] "x\u00e9" AND NOT (age BETWEEN {1, 0x1F} OR tags[FIRST] IN {'a', %@})"#,
            "ANY items.@max.price > 5 + 2 ** -3 * ~flags & 7 || NONE tags LIKE '*a?'",
            "SUBQUERY(items, $x, $x.price == $y).@count >= 1.5e3 AND TRUEPREDICATE",
            "distanceToLocation:fromLocation:(place, %@) < 10 && self CONTAINS 'word'",
            "CAST(5.5, 'NSDate') <> now() AND TERNARY(a == 1, 2, nil) != NULL",
            "FUNCTION(SELF, 'valueForKeyPath:', 'odd key') MATCHES '[a-z]+' OR !%K ENDSWITH $v",
            "allTokens TOKENMATCHES[cdl] 'a b' AND {1, a} UNION {2} MINUS b == #and.in[SIZE]",
            #"CAST({"k", 1}, "NSDictionary") == CAST("AAE=", "NSData") AND ALL b[-1]['k'] =< .5"#,
        ].map { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let format = String(decoding: input, as: UTF8.self)
        let tree: PredicateTree
        do {
            tree = try NSPredicate(validating: format, argumentArray: ["a.b", 5, "x"]).predicateTree
        } catch {
            guard error.position <= format.count else { throw BrokenPromise(what: "an error beyond the format") }
            return false
        }
        _ = NSPredicate(tree).evaluate(with: Self.object, substitutionVariables: ["y": 2])
        let printed = tree.description
        do {
            let again = try NSPredicate(validating: printed).predicateTree
            // What is not a number equals nothing, not even in a tree.
            guard again == tree || printed.contains("nan") else {
                throw BrokenPromise(what: "'\(printed)' reads as another predicate")
            }
        } catch let error as BrokenPromise {
            throw error
        } catch {
            throw BrokenPromise(what: "what was printed cannot be read: \(error)")
        }
        return true
    }

    private static var object: [String: Any] {
        ["name": "x", "age": 3, "tags": ["a", "b"], "items": [["price": 2]], "a": ["b": 1], "b": [1, 2], "flags": 6]
    }
}
