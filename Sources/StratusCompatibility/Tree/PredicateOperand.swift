/// One side of a comparison, or a part of it: what `NSExpression` is as an object.
public indirect enum PredicateOperand: Hashable, Sendable {
    /// A constant.
    case value(PredicateValue)
    /// `SELF`: the object that the predicate is asked of.
    case evaluatedObject
    /// `$name`: a value given at evaluation.
    case variable(String)
    /// Keys, separated by dots, from the evaluated object on.
    case keyPath(String)
    /// Keys, separated by dots, from something else on: `$x.name`.
    case member(PredicateOperand, keyPath: String)
    /// An element: `list[0]`, `dictionary['key']`, `list[FIRST]`.
    case element(PredicateOperand, PredicateSubscript)
    /// A function by its selector, such as `distanceToLocation:fromLocation:`; arithmetic too: `add:to:`. The names are
    /// those of ``PredicateFunction``.
    case function(String, [PredicateOperand])
    /// `FUNCTION(target, 'selector:', …)`: a method of an object.
    case method(PredicateOperand, selector: String, [PredicateOperand])
    /// `{a, b}`.
    case aggregate([PredicateOperand])
    /// `SUBQUERY(collection, $variable, predicate)`: the members for which the predicate holds.
    case subquery(PredicateOperand, variable: String, PredicateTree)
    /// `TERNARY(predicate, a, b)`: one of two.
    case conditional(PredicateTree, PredicateOperand, PredicateOperand)
    /// `a UNION b` and its like.
    case set(PredicateSetOperation, PredicateOperand, PredicateOperand)
    /// An expression that is code, as from `NSExpression(block:)`: an `NSExpression` that can only be asked.
    case code(PredicateObject)
}

/// What stands in brackets behind an operand.
public enum PredicateSubscript: Hashable, Sendable {
    case first, last, size
    /// The position in a list, or the key in a dictionary.
    case index(PredicateOperand)
}

/// What two collections are joined by.
public enum PredicateSetOperation: String, Hashable, Sendable, CaseIterable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}
