/// The relations and the order of texts, for other engines that must agree with predicates in memory.
package enum PredicateTextRelation {
    /// Returns whether a relation holds between two texts; nil stands for null.
    package static func holds(
        _ left: String?, _ relation: PredicateComparison.Relation, _ right: String?,
        _ options: PredicateComparison.Options
    ) -> Bool {
        PredicateEvaluator.holds(
            left.map { .string($0) } ?? .null, relation, right.map { .string($0) } ?? .null, options)
    }

    /// Returns how two texts stand to each other without options.
    package static func order(_ left: String, _ right: String) -> ComparisonResult {
        PredicateOrder.compare(.string(left), .string(right)) ?? .orderedSame
    }
}
