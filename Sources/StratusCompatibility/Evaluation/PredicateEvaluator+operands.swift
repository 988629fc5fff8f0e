extension PredicateEvaluator {
    func value(_ operand: PredicateOperand) -> PredicateValue {
        switch operand {
        case .value(let value): value
        case .evaluatedObject: PredicateValue(object)
        case .variable(let name): PredicateValue(bindings[name])
        case .keyPath(let path): PredicateValue(KeyPathReader.value(at: path, in: object))
        case .member(let owner, let path):
            PredicateValue(KeyPathReader.value(at: path, in: value(owner).object))
        case .element(let owner, let place): element(place, of: value(owner))
        case .function(let name, let arguments): call(name, arguments.map(value))
        case .method(let target, let selector, let arguments):
            PredicateMethods.call(selector, on: value(target), arguments.map(value))
        case .aggregate(let members): .list(members.map(value))
        case .subquery(let collection, let variable, let predicate):
            .list(value(collection).members?.filter { holds(predicate, with: $0, as: variable) } ?? [])
        case .conditional(let predicate, let first, let second): value(evaluate(predicate) ? first : second)
        case .set(let operation, let left, let right): join(operation, value(left), value(right))
        case .code(let expression):
            PredicateValue((expression.object as? any PredicateExpressionCode)?.value(with: object, bindings))
        }
    }

    private func holds(_ predicate: PredicateTree, with member: PredicateValue, as variable: String) -> Bool {
        var inner = self
        inner.bindings[variable] = member.object ?? NSNull()
        return inner.evaluate(predicate)
    }

    private func element(_ place: PredicateSubscript, of owner: PredicateValue) -> PredicateValue {
        switch (place, owner) {
        case (.first, .list(let members)): return members.first ?? .null
        case (.last, .list(let members)): return members.last ?? .null
        case (.size, _): return owner.members.map { .integer(Int64($0.count)) } ?? .null
        case (.index(let index), .list(let members)):
            guard let number = value(index).whole, members.indices.contains(Int(number)) else { return .null }
            return members[Int(number)]
        case (.index(let index), .dictionary(let members)):
            guard case .string(let key) = value(index) else { return .null }
            return members[key] ?? .null
        case (.index(let index), _):
            guard case .string(let key) = value(index) else { return .null }
            return PredicateValue(KeyPathReader.value(at: key, in: owner.object))
        default: return .null
        }
    }

    private func join(
        _ operation: PredicateSetOperation, _ left: PredicateValue, _ right: PredicateValue
    ) -> PredicateValue {
        guard let left = left.members, let right = right.members else { return .null }
        let others = Set(right)
        return switch operation {
        case .union: .list(PredicateStatistics.distinct(left + right))
        case .intersect: .list(PredicateStatistics.distinct(left).filter(others.contains))
        case .minus: .list(PredicateStatistics.distinct(left).filter { !others.contains($0) })
        }
    }
}

/// An expression that is code.
protocol PredicateExpressionCode: AnyObject {
    func value(with object: Any?, _ bindings: [String: Any]) -> Any?
}
