import Foundation

/// What `NSPredicate(format:)` makes of AND, OR and NOT: a compound that can be copied, compared and printed, which
/// Foundation's own on Linux cannot.
final class CompoundPredicate: NSCompoundPredicate, PredicateTreeConvertible {
    var ownTree: PredicateTree { Self.tree(of: self) }

    /// The subpredicates can be set on Linux, so the tree is made anew.
    static func tree(of predicate: NSCompoundPredicate) -> PredicateTree {
        let members = predicate.subpredicates.map(\.predicateTree)
        return switch predicate.compoundPredicateType {
        case .and: .and(members)
        case .or: .or(members)
        case .not: .not(members.first ?? .constant(false))
        }
    }

    @available(*, deprecated)
    override var predicateFormat: String { PredicatePrinter.format(ownTree) }

    override func copy(with zone: NSZone? = nil) -> Any {
        CompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
    }

    override func isEqual(_ object: Any?) -> Bool { (object as? NSPredicate)?.predicateTree == ownTree }
    override var hash: Int { ownTree.hashValue }
    override var description: String { PredicatePrinter.format(ownTree) }
}
