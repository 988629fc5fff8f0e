import Foundation

/// Lets an initializer of `NSComparisonPredicate` return an object of a subclass; see ``PredicateFormatInitializable``.
public protocol ComparisonInitializable {}

@available(*, deprecated, message: "Only because Foundation on Linux says so of NSComparisonPredicate.")
extension NSComparisonPredicate: ComparisonInitializable {}

@available(*, deprecated, message: "Only because Foundation on Linux says so of NSComparisonPredicate.")
extension ComparisonInitializable where Self: NSComparisonPredicate {
    /// Makes a comparison of two expressions.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression,
        modifier: NSComparisonPredicate.Modifier, type: NSComparisonPredicate.Operator,
        options: NSComparisonPredicate.Options = []
    ) {
        self.init(
            PredicateTree.comparison(
                PredicateComparison(
                    lhs.predicateOperand, PredicateComparison.Relation(type), rhs.predicateOperand,
                    modifier: PredicateComparison.Modifier(modifier),
                    options: PredicateComparison.Options(rawValue: options.rawValue))))
    }
}

@available(*, deprecated, message: "Only because Foundation on Linux says so of NSComparisonPredicate.")
extension NSComparisonPredicate {
    /// How the sides must stand to each other. `TOKENMATCHES`, for which Foundation has no name, counts as `contains`.
    public var predicateOperatorType: Operator { Operator(parts.relation) }

    /// Whether members of the left side are meant.
    public var comparisonPredicateModifier: Modifier {
        switch parts.modifier {
        case .direct: .direct
        case .all: .all
        case .any: .any
        }
    }

    /// The side before the relation.
    public var leftExpression: NSExpression { NSExpression(parts.left) }

    /// The side behind the relation.
    public var rightExpression: NSExpression { NSExpression(parts.right) }

    /// How texts are compared.
    public var options: Options { Options(rawValue: parts.options.rawValue) }

    private var parts: PredicateComparison {
        // There is no other way to make one.
        (self as? ComparisonPredicate)?.comparison
            ?? PredicateComparison(.value(.null), .notEqualTo, .value(.null))
    }
}

@available(*, deprecated)
extension PredicateComparison.Relation {
    fileprivate init(_ type: NSComparisonPredicate.Operator) {
        self =
            switch type {
            case .lessThan: .lessThan
            case .lessThanOrEqualTo: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqualTo: .greaterThanOrEqualTo
            case .equalTo: .equalTo
            case .notEqualTo: .notEqualTo
            case .matches: .matches
            case .like: .like
            case .beginsWith: .beginsWith
            case .endsWith: .endsWith
            case .in: .in
            case .contains: .contains
            case .between: .between
            }
    }
}

@available(*, deprecated)
extension NSComparisonPredicate.Operator {
    fileprivate init(_ relation: PredicateComparison.Relation) {
        self =
            switch relation {
            case .lessThan: .lessThan
            case .lessThanOrEqualTo: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqualTo: .greaterThanOrEqualTo
            case .equalTo: .equalTo
            case .notEqualTo: .notEqualTo
            case .matches: .matches
            case .like: .like
            case .beginsWith: .beginsWith
            case .endsWith: .endsWith
            case .in: .in
            case .contains, .tokenMatches: .contains
            case .between: .between
            }
    }
}

@available(*, deprecated)
extension PredicateComparison.Modifier {
    fileprivate init(_ modifier: NSComparisonPredicate.Modifier) {
        self =
            switch modifier {
            case .direct: .direct
            case .all: .all
            case .any: .any
            }
    }
}
