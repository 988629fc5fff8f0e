import Foundation

/// What `NSPredicate(format:)` makes of a comparison.
@available(*, deprecated, message: "Only because Foundation on Linux says so of its superclass.")
final class ComparisonPredicate: NSComparisonPredicate, PredicateTreeConvertible {
    // The same property as PlainPredicate's, of which objects of this class are made. A value to begin with, as the
    // superclass has no initializer that one of this class could call; no object ever has it.
    private(set) var comparison = PredicateComparison(.value(.null), .notEqualTo, .value(.null))

    /// An object of this class, or of the other if that cannot be.
    static func make(_ comparison: PredicateComparison) -> NSPredicate {
        let plain = PlainPredicate(comparison)
        guard ClassExchange.fits(PlainPredicate.self, ComparisonPredicate.self) else { return plain }
        return ClassExchange.exchange(plain, for: ComparisonPredicate.self)
    }

    var ownTree: PredicateTree { .comparison(comparison) }

    override var predicateFormat: String { PredicatePrinter.format(ownTree) }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        PredicateEvaluator(object: object, bindings: bindings).evaluate(ownTree)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { (object as? NSPredicate)?.predicateTree == ownTree }
    override var hash: Int { ownTree.hashValue }
    override var description: String { predicateFormat }
}

/// The same as no `NSComparisonPredicate`.
final class PlainPredicate: NSPredicate, PredicateTreeConvertible {
    private(set) var comparison: PredicateComparison

    init(_ comparison: PredicateComparison) {
        self.comparison = comparison
        super.init(value: false)
    }

    var ownTree: PredicateTree { .comparison(comparison) }

    @available(*, deprecated)
    override var predicateFormat: String { PredicatePrinter.format(ownTree) }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        PredicateEvaluator(object: object, bindings: bindings).evaluate(ownTree)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { (object as? NSPredicate)?.predicateTree == ownTree }
    override var hash: Int { ownTree.hashValue }
    override var description: String { PredicatePrinter.format(ownTree) }
}
