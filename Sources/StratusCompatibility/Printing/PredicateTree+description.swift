extension PredicateTree: CustomStringConvertible {
    /// A format that reads as the same tree; see ``PredicatePrinter`` for what has none.
    public var description: String { PredicatePrinter.format(self) }
}

extension PredicateOperand: CustomStringConvertible {
    /// A format that reads as the same operand.
    public var description: String { PredicatePrinter.format(self) }
}
