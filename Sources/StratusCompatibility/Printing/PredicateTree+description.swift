extension PredicateTree: CustomStringConvertible {
    /// A format that reads as the same tree; code and objects of a program's own have none.
    public var description: String { PredicatePrinter.format(self) }
}

extension PredicateOperand: CustomStringConvertible {
    /// A format that reads as the same operand.
    public var description: String { PredicatePrinter.format(self) }
}

extension PredicateOperand {
    /// The operand with `?` for each constant: for messages, which name fields and never tell values.
    package var outline: String { PredicatePrinter.format(self, hidesValues: true) }
}
