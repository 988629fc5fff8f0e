/// What can stand behind something complete and go on with it.
enum PredicateInfix: Equatable {
    case or, and
    case relation(PredicateComparison.Relation)
    case set(PredicateSetOperation)
    case arithmetic(PredicateFunction, PredicatePrecedence)
    case dot, bracket

    var precedence: PredicatePrecedence {
        switch self {
        case .or: .or
        case .and: .and
        case .relation: .comparison
        case .set: .set
        case .arithmetic(_, let precedence): precedence
        case .dot, .bracket: .postfix
        }
    }
}

extension PredicatePrecedence {
    /// The next tighter.
    var next: PredicatePrecedence { PredicatePrecedence(rawValue: rawValue + 1) ?? .postfix }

    /// How tightly the operators on the right side of one must bind: `a - b - c` is `(a - b) - c`, but `a ** b ** c` is
    /// `a ** (b ** c)`.
    var ofRightSide: PredicatePrecedence { self == .power ? self : next }
}

extension PredicateParser {
    /// The operator that the token is, if it is one.
    func infix() -> PredicateInfix? {
        switch token {
        case .symbol(let symbol): Self.infix(symbol)
        case .word(let word): PredicateKeyword(word).flatMap(Self.infix)
        default: nil
        }
    }

    private static func infix(_ symbol: PredicateSymbol) -> PredicateInfix? {
        switch symbol {
        case .and: .and
        case .or: .or
        case .equal, .assign: .relation(.equalTo)
        case .notEqual, .different: .relation(.notEqualTo)
        case .less: .relation(.lessThan)
        case .lessOrEqual, .lessOrEqualReversed: .relation(.lessThanOrEqualTo)
        case .greater: .relation(.greaterThan)
        case .greaterOrEqual, .greaterOrEqualReversed: .relation(.greaterThanOrEqualTo)
        case .dot: .dot
        case .openBracket: .bracket
        default: arithmetic[symbol.rawValue]
        }
    }

    private static func infix(_ keyword: PredicateKeyword) -> PredicateInfix? {
        switch keyword {
        case .and: .and
        case .or: .or
        default:
            PredicateComparison.Relation(rawValue: keyword.rawValue).map(PredicateInfix.relation)
                ?? PredicateSetOperation(rawValue: keyword.rawValue).map(PredicateInfix.set)
        }
    }

    private static let arithmetic: [String: PredicateInfix] = {
        var result: [String: PredicateInfix] = [:]
        for function in PredicateFunction.allCases {
            guard let infix = function.infix else { continue }
            result[infix.symbol] = .arithmetic(function, infix.precedence)
        }
        return result
    }()
}
