import Foundation

/// Lets initializers of `NSPredicate` return an object of a subclass, as Apple's do: only in an extension of a protocol
/// may an initializer choose what `self` is.
public protocol PredicateFormatInitializable {}

extension NSPredicate: PredicateFormatInitializable {}

extension PredicateFormatInitializable where Self: NSPredicate {
    /// Makes a predicate of a format and its arguments.
    ///
    /// A format that cannot be read is an error in the program: as on Apple's platforms it stops it, with a message that
    /// names the place. Arguments never do. To try a format that comes from outside, use ``init(validating:argumentArray:)``.
    public init(format predicateFormat: String, _ args: any CVarArg...) {
        self = Self.make(predicateFormat, args)
    }

    /// Makes a predicate of a format and its arguments; see ``init(format:_:)``.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = Self.make(predicateFormat, arguments ?? [])
    }

    /// Makes a predicate of a format that may be wrong, and then throws why and where.
    public init(
        validating predicateFormat: String, argumentArray arguments: [Any]? = nil
    ) throws(PredicateFormatError) {
        let tree = try PredicateParser.predicate(predicateFormat, arguments ?? [])
        guard let predicate = NSPredicate.make(tree) as? Self else {
            throw PredicateFormatError(format: predicateFormat, position: 0, reason: "this is no \(Self.self)")
        }
        self = predicate
    }

    /// Makes the predicate that a tree describes. Stops the program if it is of another class than is asked for:
    /// `NSPredicate` fits them all.
    public init(_ tree: PredicateTree) {
        guard let predicate = NSPredicate.make(tree) as? Self else {
            fatalError("'\(PredicatePrinter.format(tree))' is no \(Self.self)")
        }
        self = predicate
    }

    private static func make(_ format: String, _ arguments: [Any]) -> Self {
        do {
            return try Self(validating: format, argumentArray: arguments)
        } catch {
            // Not a value from outside but the program's text is wrong, and there is no way to say so but to stop:
            // callers of this API expect a predicate. Unlike a precondition it says why in release builds too.
            fatalError("\(error)")
        }
    }
}

extension NSPredicate {
    /// The predicate with constants in the place of the variables that have a value here. Others stay variables.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let values = variables.mapValues { PredicateValue($0) }
        return (substituting(values) as? Self) ?? self
    }

    /// Of the same class, so that a compound with one member stays one.
    private func substituting(_ variables: [String: PredicateValue]) -> NSPredicate {
        if let compound = self as? NSCompoundPredicate {
            return CompoundPredicate(
                type: compound.compoundPredicateType,
                subpredicates: compound.subpredicates.map { $0.substituting(variables) })
        }
        return .make(predicateTree.substituting(variables))
    }
}
