extension PredicateTree {
    /// The predicate with constants in the place of variables that have a value. Others stay.
    public func substituting(_ variables: [String: PredicateValue]) -> PredicateTree {
        switch self {
        case .constant, .code: self
        case .and(let members): .and(members.map { $0.substituting(variables) })
        case .or(let members): .or(members.map { $0.substituting(variables) })
        case .not(let member): .not(member.substituting(variables))
        case .comparison(let comparison): .comparison(comparison.substituting(variables))
        }
    }
}

extension PredicateComparison {
    fileprivate func substituting(_ variables: [String: PredicateValue]) -> PredicateComparison {
        var result = self
        result.left = left.substituting(variables)
        result.right = right.substituting(variables)
        return result
    }
}

extension PredicateOperand {
    fileprivate func substituting(_ variables: [String: PredicateValue]) -> PredicateOperand {
        func all(_ operands: [PredicateOperand]) -> [PredicateOperand] { operands.map { $0.substituting(variables) } }
        switch self {
        case .value, .evaluatedObject, .keyPath, .code: return self
        case .variable(let name): return variables[name].map { .value($0) } ?? self
        case .member(let owner, let path): return .member(owner.substituting(variables), keyPath: path)
        case .element(let owner, .index(let index)):
            return .element(owner.substituting(variables), .index(index.substituting(variables)))
        case .element(let owner, let place): return .element(owner.substituting(variables), place)
        case .function(let name, let arguments): return .function(name, all(arguments))
        case .method(let target, let selector, let arguments):
            return .method(target.substituting(variables), selector: selector, all(arguments))
        case .aggregate(let members): return .list(all(members))
        case .subquery(let collection, let variable, let predicate):
            // The subquery's own variable hides one of the same name.
            let inner = variables.filter { $0.key != variable }
            return .subquery(
                collection.substituting(variables), variable: variable, predicate.substituting(inner))
        case .conditional(let predicate, let first, let second):
            return .conditional(
                predicate.substituting(variables), first.substituting(variables), second.substituting(variables))
        case .set(let operation, let left, let right):
            return .set(operation, left.substituting(variables), right.substituting(variables))
        }
    }
}
