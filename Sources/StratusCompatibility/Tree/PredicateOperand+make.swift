// Some operands can be written in several ways. These make the one form of each that everything else expects.
extension PredicateOperand {
    /// Keys from the evaluated object on; `self` is the object. Keys that begin with `$name` are those of the variable.
    static func path(_ path: String) -> PredicateOperand {
        if path.first == "$" {
            let parts = path.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            let variable = PredicateOperand.variable(String(parts[0]))
            return parts.count == 1 ? variable : variable.member(String(parts[1]))
        }
        let lowercased = path.lowercased()
        if lowercased == "self" { return .evaluatedObject }
        return lowercased.hasPrefix("self.") ? .path(String(path.dropFirst(5))) : .keyPath(path)
    }

    /// Further keys behind this operand.
    func member(_ path: String) -> PredicateOperand {
        switch self {
        case .evaluatedObject: .path(path)
        case .keyPath(let first): .keyPath(first + "." + path)
        case .member(let operand, let first): .member(operand, keyPath: first + "." + path)
        default: .member(self, keyPath: path)
        }
    }

    /// `{…}`: a constant, if all of it is.
    static func list(_ operands: [PredicateOperand]) -> PredicateOperand {
        var values: [PredicateValue] = []
        for operand in operands {
            guard case .value(let value) = operand else { return .aggregate(operands) }
            values.append(value)
        }
        return .value(.list(values))
    }

    /// A call of a function: a constant, if it is how a value without a literal is written.
    static func call(_ function: PredicateFunction, _ arguments: [PredicateOperand]) -> PredicateOperand {
        if function == .cast, case .value(let value)? = arguments.first,
            case .value(.string(let type))? = arguments.last, let literal = PredicateValue(literal: value, type: type)
        {
            return .value(literal)
        }
        return .function(function.rawValue, arguments)
    }

    /// A call of a method: keys, if it is how keys that are no names are written.
    static func method(
        _ target: PredicateOperand, _ selector: String, _ arguments: [PredicateOperand]
    ) -> PredicateOperand {
        if selector == "valueForKeyPath:" || selector == "valueForKey:", arguments.count == 1,
            case .value(.string(let path)) = arguments[0]
        {
            return target.member(path)
        }
        return .method(target, selector: selector, arguments)
    }

    /// A value that the program gave: an expression stays one.
    static func constant(_ value: Any?) -> PredicateOperand {
        if let expression = value as? any PredicateOperandConvertible { return expression.ownOperand }
        return .value(PredicateValue(value))
    }
}

/// An object that stands for an operand.
protocol PredicateOperandConvertible {
    var ownOperand: PredicateOperand { get }
}
