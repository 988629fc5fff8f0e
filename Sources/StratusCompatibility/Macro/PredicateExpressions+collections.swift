import Foundation

extension PredicateExpressions.SequenceContains: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        // A range is a sequence too.
        if let bounds = try (sequence as? any PredicateBounds)?.bounds(context) {
            return .predicate(bounds.contain(try context.operand(element)))
        }
        // A constant list is what IN is for; anything else is asked whether it contains.
        if case .value = try context.operand(sequence) { return try context.comparison(element, .in, sequence) }
        return try context.comparison(sequence, .contains, element)
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        guard Base.Output.Element.self == Character.self else {
            throw UnsupportedPredicateExpression(description: "a part of a list has no counterpart")
        }
        return try context.comparison(base, .contains, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        guard Base.Output.Element.self == Character.self else {
            throw UnsupportedPredicateExpression(description: "the beginning of a list has no counterpart")
        }
        return try context.comparison(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let found = try context.subquery(sequence, variable.key, test).counted
        return .predicate(.comparison(PredicateComparison(found, .greaterThan, .value(.integer(0)))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let others = try context.subquery(sequence, variable.key, test, negated: true).counted
        return .predicate(.comparison(PredicateComparison(others, .equalTo, .value(.integer(0)))))
    }
}

extension PredicateExpressions.Filter: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(try context.subquery(sequence, variable.key, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(.function(PredicateFunction.max.rawValue, [try context.operand(elements)]))
    }
}

extension PredicateExpressions.SequenceMinimum: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(.function(PredicateFunction.min.rawValue, [try context.operand(elements)]))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(.element(try context.operand(wrapped), .index(try context.operand(index))))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(.element(try context.operand(wrapped), .index(try context.operand(key))))
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let value = try context.operand(element)
        guard let bounds = try (range as? any PredicateBounds)?.bounds(context) else {
            throw UnsupportedPredicateExpression(description: "\(RangeExpression.self) has no counterpart")
        }
        return .predicate(bounds.contain(value))
    }
}

/// A range, open or closed above; a missing bound is none.
struct PredicateRange {
    let lower: PredicateOperand?
    let upper: PredicateOperand?
    let isClosed: Bool

    func contain(_ value: PredicateOperand) -> PredicateTree {
        if let lower, let upper, isClosed {
            return .comparison(PredicateComparison(value, .between, .list([lower, upper])))
        }
        let above = lower.map { PredicateTree.comparison(PredicateComparison(value, .greaterThanOrEqualTo, $0)) }
        let below = upper.map {
            PredicateTree.comparison(PredicateComparison(value, isClosed ? .lessThanOrEqualTo : .lessThan, $0))
        }
        let bounds = [above, below].compactMap { $0 }
        return bounds.count == 1 ? bounds[0] : .and(bounds)
    }
}

/// A range in a `#Predicate`.
protocol PredicateBounds {
    func bounds(_ context: PredicateTranslation) throws -> PredicateRange?
}

extension PredicateExpressions.ClosedRange: PredicateBounds {
    func bounds(_ context: PredicateTranslation) throws -> PredicateRange? {
        PredicateRange(lower: try context.operand(lower), upper: try context.operand(upper), isClosed: true)
    }
}

extension PredicateExpressions.Range: PredicateBounds {
    func bounds(_ context: PredicateTranslation) throws -> PredicateRange? {
        PredicateRange(lower: try context.operand(lower), upper: try context.operand(upper), isClosed: false)
    }
}

extension PredicateExpressions.Value: PredicateBounds {
    func bounds(_ context: PredicateTranslation) throws -> PredicateRange? { (value as? any ConstantRange)?.bounds }
}

/// A range that a `#Predicate` captured.
private protocol ConstantRange {
    var bounds: PredicateRange { get }
}

extension ClosedRange: ConstantRange {
    fileprivate var bounds: PredicateRange {
        PredicateRange(lower: .constant(lowerBound), upper: .constant(upperBound), isClosed: true)
    }
}

extension Range: ConstantRange {
    fileprivate var bounds: PredicateRange {
        PredicateRange(lower: .constant(lowerBound), upper: .constant(upperBound), isClosed: false)
    }
}

extension PartialRangeFrom: ConstantRange {
    fileprivate var bounds: PredicateRange {
        PredicateRange(lower: .constant(lowerBound), upper: nil, isClosed: true)
    }
}

extension PartialRangeThrough: ConstantRange {
    fileprivate var bounds: PredicateRange {
        PredicateRange(lower: nil, upper: .constant(upperBound), isClosed: true)
    }
}

extension PartialRangeUpTo: ConstantRange {
    fileprivate var bounds: PredicateRange {
        PredicateRange(lower: nil, upper: .constant(upperBound), isClosed: false)
    }
}
