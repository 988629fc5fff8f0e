import Foundation

extension PredicateExpressions.Value: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece { .operand(.constant(value)) }
}

extension PredicateExpressions.Variable: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        guard let operand = context.names[key] else {
            throw UnsupportedPredicateExpression(description: "a variable has no name here")
        }
        return .operand(operand)
    }
}

extension PredicateExpressions.KeyPath: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let owner = try context.operand(root)
        let isText = Root.Output.self == String.self
        switch kind {
        case .collectionCount:
            let length = PredicateOperand.function(PredicateFunction.length.rawValue, [owner])
            return .operand(isText ? length : owner.counted)
        case .collectionIsEmpty:
            let empty = PredicateOperand.value(isText ? .string("") : .integer(0))
            return .predicate(.comparison(PredicateComparison(isText ? owner : owner.counted, .equalTo, empty)))
        case .collectionFirst where !isText: return .operand(.element(owner, .first))
        case .bidirectionalCollectionLast where !isText: return .operand(.element(owner, .last))
        default: break
        }
        guard let path = PropertyNames.path(of: keyPath) else {
            throw UnsupportedPredicateExpression(
                description: "\(keyPath) is not a stored property, and Swift does not tell its name")
        }
        return .operand(owner.member(path))
    }
}

extension PredicateExpressions.Arithmetic: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        let function: PredicateFunction =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default:
                throw UnsupportedPredicateExpression(description: "the operator \(op) has no counterpart")
            }
        return .operand(.function(function.rawValue, [try context.operand(lhs), try context.operand(rhs)]))
    }
}

extension PredicateExpressions.IntDivision: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(
            .function(PredicateFunction.divide.rawValue, [try context.operand(lhs), try context.operand(rhs)]))
    }
}

extension PredicateExpressions.FloatDivision: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(
            .function(PredicateFunction.divide.rawValue, [try context.operand(lhs), try context.operand(rhs)]))
    }
}

extension PredicateExpressions.IntRemainder: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(
            .function(PredicateFunction.modulus.rawValue, [try context.operand(lhs), try context.operand(rhs)]))
    }
}

extension PredicateExpressions.UnaryMinus: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        .operand(
            .function(
                PredicateFunction.multiply.rawValue, [.value(.integer(-1)), try context.operand(wrapped)]))
    }
}
