import Foundation

/// A part of a `#Predicate` that no format can express.
public struct UnsupportedPredicateExpression: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it is.
    public let description: String
}

/// A part of a `#Predicate` that can be expressed as a tree.
protocol PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece
}

/// A predicate or a value; Swift's booleans are either.
enum PredicatePiece {
    case predicate(PredicateTree)
    case operand(PredicateOperand)

    var predicate: PredicateTree {
        switch self {
        case .predicate(let tree): tree
        case .operand(.value(.bool(let value))): .constant(value)
        case .operand(let operand): .comparison(PredicateComparison(operand, .equalTo, .value(.bool(true))))
        }
    }

    var operand: PredicateOperand {
        switch self {
        case .operand(let operand): operand
        case .predicate(.constant(let value)): .value(.bool(value))
        case .predicate(let tree): .conditional(tree, .value(.bool(true)), .value(.bool(false)))
        }
    }
}

/// What the variables of a `#Predicate` are called in the tree.
struct PredicateTranslation {
    private(set) var names: [PredicateExpressions.VariableID: PredicateOperand] = [:]

    func piece(_ expression: Any) throws -> PredicatePiece {
        guard let expression = expression as? any PredicateTranslatable else {
            throw UnsupportedPredicateExpression(description: "\(type(of: expression)) has no counterpart")
        }
        return try expression.translated(self)
    }

    func predicate(_ expression: Any) throws -> PredicateTree { try piece(expression).predicate }

    func operand(_ expression: Any) throws -> PredicateOperand { try piece(expression).operand }

    func naming(_ variable: PredicateExpressions.VariableID, _ operand: PredicateOperand) -> PredicateTranslation {
        var result = self
        result.names[variable] = operand
        return result
    }

    /// `SUBQUERY(collection, $x, predicate)`, for a closure over the members.
    func subquery(
        _ collection: Any, _ variable: PredicateExpressions.VariableID, _ predicate: Any, negated: Bool = false
    ) throws -> PredicateOperand {
        let name = "x\(names.count)"
        let tree = try naming(variable, .variable(name)).predicate(predicate)
        return .subquery(try operand(collection), variable: name, negated ? .not(tree) : tree)
    }

    func comparison(
        _ left: Any, _ relation: PredicateComparison.Relation, _ right: Any,
        _ options: PredicateComparison.Options = []
    ) throws -> PredicatePiece {
        let comparison = PredicateComparison(try operand(left), relation, try operand(right), options: options)
        return .predicate(.comparison(comparison))
    }
}

extension PredicateOperand {
    /// How many members an operand has.
    var counted: PredicateOperand { .function(PredicateFunction.count.rawValue, [self]) }
}

extension Predicate {
    /// The predicate as a tree; properties are keys of the same name.
    ///
    /// Throws ``UnsupportedPredicateExpression`` where there is no counterpart: casts, regular expressions, computed
    /// properties (which Swift does not name), and more than one input.
    public func predicateTree() throws -> PredicateTree {
        var context = PredicateTranslation()
        var inputs = 0
        for input in repeat each variable {
            inputs += 1
            context = context.naming(input.key, .evaluatedObject)
        }
        guard inputs == 1 else {
            throw UnsupportedPredicateExpression(description: "a predicate of \(inputs) inputs has no counterpart")
        }
        return try context.predicate(expression)
    }
}

extension PredicateFormatInitializable where Self: NSPredicate {
    /// Makes a predicate of a `#Predicate`; nil if a part of it has no counterpart (`predicateTree()` says which).
    public init?<Input>(_ predicate: Predicate<Input>) {
        guard let tree = try? predicate.predicateTree(), let predicate = NSPredicate.make(tree) as? Self else {
            return nil
        }
        self = predicate
    }
}
