/// Writes predicates as formats that read as the same predicates, with no more parentheses than that needs.
///
/// Code cannot be written (`BLOCKPREDICATE`), and of an object of a program's own class only the description is.
struct PredicatePrinter {
    private(set) var text = ""
    /// Whether `?` stands for each constant.
    private(set) var hidesValues = false

    static func format(_ tree: PredicateTree) -> String {
        var printer = PredicatePrinter()
        printer.print(tree, .or)
        return printer.text
    }

    static func format(_ operand: PredicateOperand, hidesValues: Bool = false) -> String {
        var printer = PredicatePrinter(hidesValues: hidesValues)
        printer.print(operand, .set)
        return printer.text
    }

    /// Writes a predicate where only operators that bind at least so tightly may stand bare.
    mutating func print(_ tree: PredicateTree, _ loosest: PredicatePrecedence) {
        switch tree {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .code: text += "BLOCKPREDICATE"
        case .and(let members): print(members, "AND", .and, of: true, loosest)
        case .or(let members): print(members, "OR", .or, of: false, loosest)
        case .not(let member):
            wrapped(.not, loosest) {
                $0.text += "NOT "
                $0.print(member, .not)
            }
        case .comparison(let comparison): wrapped(.comparison, loosest) { $0.print(comparison) }
        }
    }

    private mutating func print(
        _ members: [PredicateTree], _ word: String, _ precedence: PredicatePrecedence, of empty: Bool,
        _ loosest: PredicatePrecedence
    ) {
        guard let first = members.first, members.count > 1 else {
            return print(members.first ?? .constant(empty), loosest)
        }
        wrapped(precedence, loosest) {
            $0.print(first, precedence.next)
            for member in members.dropFirst() {
                $0.text += " \(word) "
                $0.print(member, precedence.next)
            }
        }
    }

    private mutating func print(_ comparison: PredicateComparison) {
        switch comparison.modifier {
        case .direct: break
        case .all: text += "ALL "
        case .any: text += "ANY "
        }
        print(comparison.left, .set)
        text += " \(comparison.relation.rawValue)\(comparison.options.format) "
        print(comparison.right, .set)
    }

    mutating func write(_ piece: String) { text += piece }

    /// Puts parentheses around what binds more loosely than its place allows.
    mutating func wrapped(
        _ precedence: PredicatePrecedence, _ loosest: PredicatePrecedence, _ body: (inout PredicatePrinter) -> Void
    ) {
        if precedence < loosest { text += "(" }
        body(&self)
        if precedence < loosest { text += ")" }
    }
}

extension PredicateComparison.Options {
    /// `[cd]`, or nothing.
    fileprivate var format: String {
        let letters: [(Self, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let present = letters.filter { contains($0.0) }.map(\.1).joined()
        return present.isEmpty ? "" : "[\(present)]"
    }
}
