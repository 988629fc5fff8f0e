import Foundation

/// Makes Foundation's objects of predicates and expressions, and reads them.
///
/// A protocol only so that the rest of the module can use what Foundation on Linux calls deprecated without a warning at
/// every use: the methods that need it are deprecated themselves, and called through here.
protocol PredicateObjectMaking: Sendable {
    func comparison(_ comparison: PredicateComparison) -> NSPredicate
    func format(of predicate: NSPredicate) -> String
    func expression(_ operand: PredicateOperand) -> NSObject
}

/// Use ``shared``.
struct PredicateObjects: PredicateObjectMaking {
    static let shared: any PredicateObjectMaking = PredicateObjects()

    @available(*, deprecated)
    func comparison(_ comparison: PredicateComparison) -> NSPredicate {
        ComparisonPredicate.make(comparison)
    }

    @available(*, deprecated)
    func format(of predicate: NSPredicate) -> String { predicate.predicateFormat }

    @available(*, deprecated)
    func expression(_ operand: PredicateOperand) -> NSObject { NSExpression(operand) }
}

/// A predicate that has a tree.
protocol PredicateTreeConvertible {
    var ownTree: PredicateTree { get }
}
