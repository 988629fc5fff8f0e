/// Asks a predicate of an object.
///
/// Nothing here stops the program: what is missing is nil, what does not fit together does not match.
struct PredicateEvaluator {
    /// What `SELF` and keys mean.
    let object: Any?
    /// What variables mean; one that is missing is nil.
    var bindings: [String: Any]

    init(object: Any?, bindings: [String: Any]? = nil) {
        self.object = object
        self.bindings = bindings ?? [:]
    }

    func evaluate(_ tree: PredicateTree) -> Bool {
        switch tree {
        case .constant(let value): value
        case .and(let members): members.allSatisfy(evaluate)
        case .or(let members): members.contains(where: evaluate)
        case .not(let member): !evaluate(member)
        case .comparison(let comparison): evaluate(comparison)
        case .code(let predicate):
            (predicate.object as? NSPredicate)?.evaluate(with: object, substitutionVariables: bindings) ?? false
        }
    }

    private func evaluate(_ comparison: PredicateComparison) -> Bool {
        let left = value(comparison.left)
        let right = value(comparison.right)
        let holds = { Self.holds($0, comparison.relation, right, comparison.options) }
        switch comparison.modifier {
        case .direct: return holds(left)
        // One value stands for a list of it.
        case .any: return (left.members ?? [left]).contains(where: holds)
        case .all: return (left.members ?? [left]).allSatisfy(holds)
        }
    }

    static func holds(
        _ left: PredicateValue, _ relation: PredicateComparison.Relation, _ right: PredicateValue,
        _ options: PredicateComparison.Options
    ) -> Bool {
        switch relation {
        case .equalTo: PredicateOrder.equal(left, right, options)
        case .notEqualTo: !PredicateOrder.equal(left, right, options)
        case .lessThan: PredicateOrder.compare(left, right, options) == .orderedAscending
        case .lessThanOrEqualTo: isOrdered(left, right, options)
        case .greaterThan: PredicateOrder.compare(left, right, options) == .orderedDescending
        case .greaterThanOrEqualTo: isOrdered(right, left, options)
        case .between: isBetween(left, right, options)
        case .contains: contains(left, right, options)
        case .in: contains(right, left, options)
        case .tokenMatches: tokenMatches(left, right)
        case .beginsWith: texts(left, right).map { PredicateTextMatch.begins($0, $1, options) } ?? false
        case .endsWith: texts(left, right).map { PredicateTextMatch.ends($0, $1, options) } ?? false
        case .like: texts(left, right).map { PredicateTextMatch.like($0, $1, options) } ?? false
        case .matches: texts(left, right).map { PredicateTextMatch.matches($0, $1, options) } ?? false
        }
    }

    private static func texts(_ left: PredicateValue, _ right: PredicateValue) -> (String, String)? {
        guard case .string(let left) = left, case .string(let right) = right else { return nil }
        return (left, right)
    }

    private static func isOrdered(
        _ least: PredicateValue, _ greatest: PredicateValue, _ options: PredicateComparison.Options
    ) -> Bool {
        guard let order = PredicateOrder.compare(least, greatest, options) else { return false }
        return order != .orderedDescending
    }

    private static func isBetween(
        _ value: PredicateValue, _ bounds: PredicateValue, _ options: PredicateComparison.Options
    ) -> Bool {
        guard case .list(let bounds) = bounds, bounds.count == 2 else { return false }
        return isOrdered(bounds[0], value, options) && isOrdered(value, bounds[1], options)
    }

    private static func contains(
        _ whole: PredicateValue, _ part: PredicateValue, _ options: PredicateComparison.Options
    ) -> Bool {
        if let (whole, part) = texts(whole, part) { return PredicateTextMatch.contains(whole, part, options) }
        return whole.members?.contains { PredicateOrder.equal($0, part, options) } ?? false
    }

    private static func tokenMatches(_ text: PredicateValue, _ words: PredicateValue) -> Bool {
        switch (text, words) {
        case (.string(let text), .string(let words)): PredicateTextMatch.tokens(text, words)
        case (.list(let texts), _): texts.contains { tokenMatches($0, words) }
        case (_, .list(let words)): words.contains { tokenMatches(text, $0) }
        default: false
        }
    }
}
