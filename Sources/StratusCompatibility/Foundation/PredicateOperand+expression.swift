import Foundation

extension PredicateOperand {
    /// Reads the format of an expression that may be wrong, and then throws why and where.
    public init(validating format: String) throws(PredicateFormatError) {
        self = try PredicateParser.operand(format)
    }

    /// The operand of an `NSExpression`; nil for another object.
    public init?(expression: NSObject) {
        guard let convertible = expression as? any PredicateOperandConvertible else { return nil }
        self = convertible.ownOperand
    }

    /// The `NSExpression` of the operand, as the object that it is: Foundation on Linux calls its class deprecated, and
    /// naming it would bring the warning to each use.
    public var expression: NSObject { PredicateObjects.shared.expression(self) }
}
