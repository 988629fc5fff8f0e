import StratusCompatibility
import StratusSeeds
import Testing

@Suite struct PredicateRoundTripTests {
    /// What is printed reads as the same predicate, for trees of every kind.
    @Test func printedPredicatesReadAsTheSame() throws {
        let seed = Seed.draw()
        print("PredicateRoundTripTests seed: \(seed)")
        var random = RandomPredicates(generator: SeededRandom(seed: seed))
        for _ in 0..<3_000 {
            let tree = random.tree()
            let format = tree.description
            let again = try NSPredicate(validating: format).predicateTree
            guard again == tree else {
                Issue.record("\(format)\n\(again)\n\(String(reflecting: tree))\n\(String(reflecting: again))")
                return
            }
        }
    }

    /// Dates, floating point numbers and places come back with every bit.
    @Test func valuesKeepTheirBits() throws {
        let seed = Seed.draw()
        print("PredicateRoundTripTests seed: \(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            let predicate = NSPredicate(
                format: "a == %@ AND b == %f", Date(timeIntervalSinceReferenceDate: number), number)
            let again = try NSPredicate(validating: predicate.description)
            #expect(again.predicateTree == predicate.predicateTree)
            guard case .and(let members) = again.predicateTree, case .comparison(let a) = members[0],
                case .comparison(let b) = members[1], case .value(.date(let date)) = a.right,
                case .value(.double(let double)) = b.right
            else {
                Issue.record("\(again)")
                continue
            }
            #expect(date.timeIntervalSinceReferenceDate.bitPattern == number.bitPattern)
            #expect(double.bitPattern == number.bitPattern)
        }
    }

    @Test(arguments: [
        (#"a == 1"#, #"a == 1"#), ("a = 1 and b<>2", "a == 1 AND b != 2"), ("(a == 1)", "a == 1"),
        ("(a == 1 || b == 2) && c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("a == 1 || b == 2 && c == 3", "a == 1 OR b == 2 AND c == 3"),
        ("(a == 1 AND b == 2) AND c == 3", "(a == 1 AND b == 2) AND c == 3"),
        ("not (a == 1 or b == 2)", "NOT (a == 1 OR b == 2)"), ("!a == 1", "NOT a == 1"),
        ("a - (b - c) > 0", "a - (b - c) > 0"),
        ("(a - b) - c > 0", "a - b - c > 0"), ("2 ** 3 ** x == (2 ** 3) ** x", "2 ** 3 ** x == (2 ** 3) ** x"),
        ("none t == 'x'", #"NOT ANY t == "x""#), ("x between {1,2}", "x BETWEEN {1, 2}"),
        ("#and == #SELF", "#and == #SELF"), ("SELF.a == $v.b", "a == $v.b"),
        ("name LIKE[cd] 'a*'", #"name LIKE[cd] "a*""#), ("name ==[c] yes", "name ==[c] TRUE"),
        ("d > CAST(5.5, 'NSDate')", #"d > CAST(5.5, "NSDate")"#), ("-x < -5", "-1 * x < -5"),
    ])
    func printsOneFormOfEach(format: String, printed: String) throws {
        #expect(try NSPredicate(validating: format).description == printed)
    }
}
