import Foundation

extension PredicateExpressions.Conjunction: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .predicate(.and(try context.predicate(lhs).conjuncts + [try context.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .predicate(.or(try context.predicate(lhs).disjuncts + [try context.predicate(rhs)]))
    }
}

extension PredicateTree {
    /// `a && b && c` comes as `(a && b) && c`.
    fileprivate var conjuncts: [PredicateTree] {
        if case .and(let members) = self { members } else { [self] }
    }

    fileprivate var disjuncts: [PredicateTree] {
        if case .or(let members) = self { members } else { [self] }
    }
}

extension PredicateExpressions.Negation: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .predicate(.not(try context.predicate(wrapped)))
    }
}

extension PredicateExpressions.Equal: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        if let caseless = lhs as? any CaselessComparison,
            (rhs as? PredicateExpressions.Value<ComparisonResult>)?.value == .orderedSame
        {
            return try context.comparison(caseless.sides.0, .equalTo, caseless.sides.1, .caseInsensitive)
        }
        return try context.comparison(lhs, .equalTo, rhs)
    }
}

/// `a.caseInsensitiveCompare(b)`, which means something only where it is compared to `.orderedSame`.
protocol CaselessComparison {
    var sides: (Any, Any) { get }
}

extension PredicateExpressions.NotEqual: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        try context.comparison(lhs, .notEqualTo, rhs)
    }
}

extension PredicateExpressions.Comparison: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let relation: PredicateComparison.Relation =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default:
                throw UnsupportedPredicateExpression(description: "the comparison \(op) has no counterpart")
            }
        return try context.comparison(lhs, relation, rhs)
    }
}

extension PredicateExpressions.Conditional: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(
            .conditional(
                try context.predicate(test), try context.operand(trueBranch), try context.operand(falseBranch)))
    }
}

extension PredicateExpressions.NilCoalesce: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let value = try context.operand(lhs)
        let isPresent = PredicateTree.comparison(PredicateComparison(value, .notEqualTo, .value(.null)))
        return .operand(.conditional(isPresent, value, try context.operand(rhs)))
    }
}

extension PredicateExpressions.NilLiteral: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece { .operand(.value(.null)) }
}

extension PredicateExpressions.ForcedUnwrap: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece { try context.piece(inner) }
}

extension PredicateExpressions.OptionalFlatMap: PredicateTranslatable {
    /// `$0.nick?.length`: keys of nothing are nothing anyway.
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        try context.naming(variable.key, try context.operand(wrapped)).piece(transform)
    }
}
