import Foundation

// Apple raises an exception if an expression is asked for a part that its kind does not have; here the answer is empty.
@available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
extension NSExpression {
    /// Its kind.
    public var expressionType: ExpressionType {
        switch predicateOperand {
        case .value: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath, .member: .keyPath
        case .element, .function, .method: .function
        case .aggregate: .aggregate
        case .subquery: .subquery
        case .conditional: .conditional
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .code: .block
        }
    }

    /// Of a constant, its value.
    public var constantValue: Any? {
        if case .value(let value) = predicateOperand { value.object } else { nil }
    }

    /// Of keys, the keys.
    public var keyPath: String {
        switch predicateOperand {
        case .keyPath(let path), .member(_, let path): path
        default: ""
        }
    }

    /// Of a call, the name of the function or method.
    public var function: String {
        switch predicateOperand {
        case .function(let name, _): name
        case .method(_, let selector, _): selector
        case .element: "objectFrom:withIndex:"
        default: ""
        }
    }

    /// Of a variable, its name.
    public var variable: String {
        switch predicateOperand {
        case .variable(let name), .subquery(_, let name, _): name
        default: ""
        }
    }

    /// Of keys and calls, what they are asked of.
    public var operand: NSExpression {
        switch predicateOperand {
        case .member(let owner, _), .method(let owner, _, _), .element(let owner, _): NSExpression(owner)
        default: NSExpression(.evaluatedObject)
        }
    }

    /// Of a call or a block, its arguments.
    public var arguments: [NSExpression]? {
        switch predicateOperand {
        case .function(_, let arguments), .method(_, _, let arguments): arguments.map { NSExpression($0) }
        case .element(let owner, .index(let index)): [NSExpression(owner), NSExpression(index)]
        default: codeArguments?.map { NSExpression($0) }
        }
    }

    private var codeArguments: [PredicateOperand]? {
        guard case .code(_, let arguments)? = (self as? OperandExpression)?.content else { return nil }
        return arguments
    }

    /// Of an aggregate, its expressions; of a subquery, what it searches.
    public var collection: Any? {
        switch predicateOperand {
        case .aggregate(let members): members.map { NSExpression($0) }
        case .subquery(let collection, _, _): NSExpression(collection)
        case .value(.list(let values)): values.map { NSExpression(.value($0)) }
        default: nil
        }
    }

    /// Of a subquery or a condition, its predicate.
    public var predicate: NSPredicate {
        switch predicateOperand {
        case .subquery(_, _, let tree), .conditional(let tree, _, _): NSPredicate(tree)
        default: NSPredicate(value: false)
        }
    }

    /// Of a set operation, its first side.
    public var left: NSExpression {
        if case .set(_, let left, _) = predicateOperand { NSExpression(left) } else { NSExpression(.value(.null)) }
    }

    /// Of a set operation, its second side.
    public var right: NSExpression {
        if case .set(_, _, let right) = predicateOperand { NSExpression(right) } else { NSExpression(.value(.null)) }
    }

    /// Of a condition, what it is if the predicate holds.
    public var `true`: NSExpression {
        if case .conditional(_, let value, _) = predicateOperand { NSExpression(value) } else { self }
    }

    /// Of a condition, what it is if the predicate does not hold.
    public var `false`: NSExpression {
        if case .conditional(_, _, let value) = predicateOperand { NSExpression(value) } else { self }
    }
}
