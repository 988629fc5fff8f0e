import StratusCompatibility
import StratusSeeds

/// Trees of every kind that a format can make.
struct RandomPredicates {
    var generator: SeededRandom

    mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    mutating func many<Element>(
        _ range: ClosedRange<Int>, _ make: (inout RandomPredicates) -> Element
    ) -> [Element] {
        (0..<Int.random(in: range, using: &generator)).map { _ in make(&self) }
    }

    mutating func tree(_ depth: Int = 3) -> PredicateTree {
        switch depth > 0 ? below(8) : below(4) {
        case 0: .constant(below(2) == 0)
        case 1, 2, 3: comparison(depth)
        case 4, 5: .and(many(2...4) { $0.tree(depth - 1) })
        case 6: .or(many(2...4) { $0.tree(depth - 1) })
        default: .not(tree(depth - 1))
        }
    }

    private mutating func comparison(_ depth: Int) -> PredicateTree {
        .comparison(
            PredicateComparison(
                operand(depth), pick(PredicateComparison.Relation.allCases), operand(depth),
                modifier: pick([.direct, .direct, .all, .any]),
                options: pick([
                    [], [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive], .init(rawValue: 15),
                ])))
    }

    mutating func operand(_ depth: Int = 3) -> PredicateOperand {
        switch depth > 0 ? below(16) : below(5) {
        case 0, 1: return .value(value())
        case 2: return .keyPath(keyPath())
        case 3: return .variable(pick(["x", "VAR", "a1", "first"]))
        case 4: return .evaluatedObject
        case 5: return .member(owner(depth - 1), keyPath: keyPath())
        case 6: return .element(operand(depth - 1), pick([.first, .last, .size]))
        case 7: return .element(operand(depth - 1), .index(operand(depth - 1)))
        case 8: return .method(operand(depth - 1), selector: "doIt:", many(0...2) { $0.operand(depth - 1) })
        case 9: return .aggregate([.keyPath("k")] + many(0...3) { $0.operand(depth - 1) })
        case 10: return .subquery(operand(depth - 1), variable: "s", tree(depth - 1))
        case 11: return .conditional(tree(depth - 1), operand(depth - 1), operand(depth - 1))
        case 12: return .set(pick(PredicateSetOperation.allCases), operand(depth - 1), operand(depth - 1))
        default: return function(depth)
        }
    }

    private mutating func function(_ depth: Int) -> PredicateOperand {
        let function = pick(PredicateFunction.allCases)
        // A cast of a constant can be the constant itself.
        if function == .cast { return .function(function.rawValue, [.keyPath("k"), .value(.string("NSDate"))]) }
        return .function(function.rawValue, (0..<function.arity).map { _ in operand(depth - 1) })
    }

    /// What keys are asked of; those of the object itself, and of keys, are written without.
    private mutating func owner(_ depth: Int) -> PredicateOperand {
        let operand = operand(depth)
        return switch operand {
        case .evaluatedObject, .keyPath, .member: .variable("owner")
        default: operand
        }
    }

    private mutating func keyPath() -> String {
        many(1...3) {
            $0.pick([
                "name", "size", "first", "AND", "self_", "größe", "a b", "@count", "x'y", "in", "_", "k9", "SELFIE",
                "any",
                "数", "cast", "true", "#", "e\u{301}",
            ])
        }.joined(separator: ".")
    }

    mutating func value(_ depth: Int = 2) -> PredicateValue {
        switch depth > 0 ? below(14) : below(12) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .integer(pick([0, 1, -1, .min, .max, .random(in: .min ... .max, using: &generator)]))
        case 3: .unsigned(pick([.max, 0x8000_0000_0000_0000]))
        case 4:
            .double(
                pick([
                    0, -0.5, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 0.1, 1 / 3, -2,
                    9_007_199_254_740_992,
                ]))
        case 5: .decimal(pick([Decimal(string: "1.25") ?? 0, 0, -7]))
        case 6, 7: .string(text())
        case 8: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator)))
        case 9: .data(Data(many(0...5) { UInt8($0.below(256)) }))
        case 10: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(below(256)))))
        case 11:
            .location(
                CLLocation(
                    coordinate: CLLocationCoordinate2D(
                        latitude: .random(in: -90...90, using: &generator), longitude: -0.1),
                    altitude: 1.5, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4, courseAccuracy: 0.1,
                    speed: 5, speedAccuracy: 0.2, timestamp: Date(timeIntervalSinceReferenceDate: 7.7)))
        case 12: .list(many(0...3) { $0.value(depth - 1) })
        default: .dictionary(["k": value(depth - 1), text(): .integer(1)])
        }
    }

    private mutating func text() -> String {
        many(0...8) {
            $0.pick([
                "a", "B", "'", "\"", "\\", "\n", "\t", "\u{0}", "\u{7F}", "é", "e\u{301}", "\u{301}", "😀", "👨‍👩‍👧", "%@",
                "$x", "*",
                "?", "\r\n", "\u{2028}",
            ])
        }.joined()
    }
}
