extension PredicateTree {
    /// The predicate with constants in the place of variables that have a value. Others stay.
    public func substituting(_ variables: [String: PredicateValue]) -> PredicateTree {
        replacingLeaves { leaf, hidden in
            switch leaf {
            case .variable(let name) where !hidden.contains(name):
                return variables[name].map { .value($0) } ?? leaf
            case .member(.variable(let name), let path) where !hidden.contains(name):
                guard let value = variables[name]?.object else { return leaf }
                return .value(PredicateValue(KeyPathReader.value(at: path, in: value)))
            default: return leaf
            }
        }
    }

    /// The predicate with other objects in the place of those among its constants.
    public func replacingObjects(_ replacement: (NSObject) -> NSObject) -> PredicateTree {
        replacingLeaves { leaf, _ in
            guard case .value(let value) = leaf else { return leaf }
            return .value(value.replacingObjects(replacement))
        }
    }
}

/// Returns what stands in the place of a constant, of a variable or of keys of one, given the variables of the subqueries around it, which
/// hide others of the same name.
private typealias LeafReplacement = (PredicateOperand, Set<String>) -> PredicateOperand

extension PredicateTree {
    fileprivate func replacingLeaves(_ hidden: Set<String> = [], _ leaf: LeafReplacement) -> PredicateTree {
        switch self {
        case .constant, .code: self
        case .and(let members): .and(members.map { $0.replacingLeaves(hidden, leaf) })
        case .or(let members): .or(members.map { $0.replacingLeaves(hidden, leaf) })
        case .not(let member): .not(member.replacingLeaves(hidden, leaf))
        case .comparison(let comparison): .comparison(comparison.replacingLeaves(hidden, leaf))
        }
    }
}

extension PredicateComparison {
    fileprivate func replacingLeaves(_ hidden: Set<String>, _ leaf: LeafReplacement) -> PredicateComparison {
        var result = self
        result.left = left.replacingLeaves(hidden, leaf)
        result.right = right.replacingLeaves(hidden, leaf)
        return result
    }
}

extension PredicateOperand {
    fileprivate func replacingLeaves(_ hidden: Set<String>, _ leaf: LeafReplacement) -> PredicateOperand {
        func one(_ operand: PredicateOperand) -> PredicateOperand { operand.replacingLeaves(hidden, leaf) }
        switch self {
        case .value, .variable, .member(.variable, _): return leaf(self, hidden)
        case .evaluatedObject, .keyPath, .code: return self
        case .member(let owner, let path): return .member(one(owner), keyPath: path)
        case .element(let owner, .index(let index)): return .element(one(owner), .index(one(index)))
        case .element(let owner, let place): return .element(one(owner), place)
        case .function(let name, let arguments): return .function(name, arguments.map(one))
        case .method(let target, let selector, let arguments):
            return .method(one(target), selector: selector, arguments.map(one))
        case .aggregate(let members): return .list(members.map(one))
        case .subquery(let collection, let variable, let predicate):
            let inner = hidden.union([variable])
            return .subquery(one(collection), variable: variable, predicate.replacingLeaves(inner, leaf))
        case .conditional(let predicate, let first, let second):
            return .conditional(predicate.replacingLeaves(hidden, leaf), one(first), one(second))
        case .set(let operation, let left, let right): return .set(operation, one(left), one(right))
        }
    }
}

extension PredicateValue {
    fileprivate func replacingObjects(_ replacement: (NSObject) -> NSObject) -> PredicateValue {
        switch self {
        case .object(let object): .object(PredicateObject(replacement(object.object)))
        case .list(let values): .list(values.map { $0.replacingObjects(replacement) })
        case .dictionary(let values): .dictionary(values.mapValues { $0.replacingObjects(replacement) })
        default: self
        }
    }
}
