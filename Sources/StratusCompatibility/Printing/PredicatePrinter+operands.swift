extension PredicatePrinter {
    /// Writes a value where only operators that bind at least so tightly may stand bare.
    mutating func print(_ operand: PredicateOperand, _ loosest: PredicatePrecedence) {
        switch operand {
        case .value(let value): print(value)
        case .evaluatedObject: write("SELF")
        case .variable(let name): write("$\(name)")
        case .keyPath(let path): print(path, of: nil)
        case .member(let owner, let path): print(path, of: owner)
        case .element(let owner, let place):
            print(owner, .postfix)
            print(place)
        case .function(let name, let arguments): print(name, arguments, loosest)
        case .method(let target, let selector, let arguments):
            call(selector, of: target, arguments)
        case .aggregate(let members):
            write("{")
            print(members)
            write("}")
        case .subquery(let collection, let variable, let predicate):
            write("SUBQUERY(")
            print(collection, .set)
            write(", $\(variable), ")
            print(predicate, .or)
            write(")")
        case .conditional(let predicate, let first, let second):
            write("TERNARY(")
            print(predicate, .or)
            write(", ")
            print([first, second])
            write(")")
        case .set(let operation, let left, let right):
            wrapped(.set, loosest) {
                $0.print(left, .set)
                $0.write(" \(operation.rawValue) ")
                $0.print(right, .bitwiseOr)
            }
        case .code: write("BLOCKEXPRESSION")
        }
    }

    private mutating func print(_ place: PredicateSubscript) {
        switch place {
        case .first: write("[FIRST]")
        case .last: write("[LAST]")
        case .size: write("[SIZE]")
        case .index(let index):
            write("[")
            print(index, .set)
            write("]")
        }
    }

    /// Keys that are no names go into a call, as they could not stand bare.
    private mutating func print(_ path: String, of owner: PredicateOperand?) {
        guard let keys = Self.format(ofPath: path) else {
            return call("valueForKeyPath:", of: owner ?? .evaluatedObject, name: path)
        }
        if let owner {
            print(owner, .postfix)
            write(".")
        }
        write(keys)
    }

    private mutating func print(_ name: String, _ arguments: [PredicateOperand], _ loosest: PredicatePrecedence) {
        guard let function = PredicateFunction(rawValue: name), function.arity == arguments.count else {
            return call(name, arguments)
        }
        if let (symbol, precedence) = function.infix {
            wrapped(precedence, loosest) {
                $0.print(arguments[0], precedence == .power ? precedence.next : precedence)
                $0.write(" \(symbol) ")
                $0.print(arguments[1], precedence.ofRightSide)
            }
        } else if function == .complement {
            wrapped(.unary, loosest) {
                $0.write("~")
                $0.print(arguments[0], .unary)
            }
        } else {
            call(function == .cast ? "CAST" : function.shortName ?? name, arguments)
        }
    }

    private mutating func call(_ name: String, _ arguments: [PredicateOperand]) {
        write(name + "(")
        print(arguments)
        write(")")
    }

    /// A method of an object, with a name or operands behind it.
    private mutating func call(
        _ selector: String, of target: PredicateOperand, name: String? = nil, _ arguments: [PredicateOperand] = []
    ) {
        write("FUNCTION(")
        print(target, .set)
        for name in [selector, name].compactMap({ $0 }) { write(", " + Self.quoted(name)) }
        for argument in arguments {
            write(", ")
            print(argument, .set)
        }
        write(")")
    }

    private mutating func print(_ operands: [PredicateOperand]) {
        for (index, operand) in operands.enumerated() {
            if index > 0 { write(", ") }
            print(operand, .set)
        }
    }

    /// The keys as they stand in a format, with a mark where the grammar gives one a meaning; nil if one is no name.
    private static func format(ofPath path: String) -> String? {
        var keys: [String] = []
        for key in path.split(separator: ".", omittingEmptySubsequences: false) {
            let isOperator = key.first == "@"
            let name = isOperator ? key.dropFirst() : key
            guard let first = name.unicodeScalars.first, PredicateLexer.beginsName(first),
                name.unicodeScalars.allSatisfy({ PredicateLexer.beginsName($0) || PredicateLexer.continuesName($0) })
            else { return nil }
            keys.append(!isOperator && PredicateKeyword(String(name)) != nil ? "#\(name)" : String(key))
        }
        return keys.joined(separator: ".")
    }
}
