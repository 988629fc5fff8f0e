import Foundation

extension NSPredicate {
    /// The predicate as a value, however it was made: from a format, as a compound, as a constant. A block, or a class
    /// of a program's own, is ``PredicateTree/code(_:)``.
    ///
    /// Foundation's compounds cannot be copied or compared on Linux; their trees can.
    public var predicateTree: PredicateTree {
        if let own = self as? any PredicateTreeConvertible { return own.ownTree }
        if type(of: self) == NSCompoundPredicate.self, let compound = self as? NSCompoundPredicate {
            return CompoundPredicate.tree(of: compound)
        }
        // Foundation tells its constants from blocks in no other way.
        switch type(of: self) == NSPredicate.self ? PredicateObjects.shared.format(of: self) : "" {
        case "TRUEPREDICATE": return .constant(true)
        case "FALSEPREDICATE": return .constant(false)
        default: return .code(PredicateObject(self))
        }
    }

    /// The predicate of a tree.
    static func make(_ tree: PredicateTree) -> NSPredicate {
        switch tree {
        case .constant(let value): NSPredicate(value: value)
        case .and(let members): CompoundPredicate(type: .and, subpredicates: members.map(make))
        case .or(let members): CompoundPredicate(type: .or, subpredicates: members.map(make))
        case .not(let member): CompoundPredicate(type: .not, subpredicates: [make(member)])
        case .comparison(let comparison): PredicateObjects.shared.comparison(comparison)
        case .code(let predicate): predicate.object as? NSPredicate ?? NSPredicate(value: false)
        }
    }
}
