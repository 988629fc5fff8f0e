import Foundation

/// What `NSExpression`'s initializers make.
@available(*, deprecated, message: "Only because Foundation on Linux says so of its superclass.")
final class OperandExpression: NSExpression, PredicateOperandConvertible, PredicateExpressionCode {
    /// An operand or code.
    enum Content {
        case operand(PredicateOperand)
        case code((Any?, [Any], NSMutableDictionary?) -> Any, arguments: [PredicateOperand])
    }

    // The same property as Shell's, of which objects of this class are made. A value to begin with, as the superclass
    // has no initializer that one of this class could call; no object ever has it.
    private(set) var content = Content.operand(.evaluatedObject)

    private final class Shell: NSObject {
        private(set) var content: Content

        init(_ content: Content) { self.content = content }
    }

    static func make(_ content: Content) -> OperandExpression {
        guard ClassExchange.fits(Shell.self, OperandExpression.self) else {
            fatalError("NSExpression cannot be made with this version of Swift; predicates from formats can")
        }
        return ClassExchange.exchange(Shell(content), for: OperandExpression.self)
    }

    var ownOperand: PredicateOperand {
        switch content {
        case .operand(let operand): operand
        case .code: .code(PredicateObject(self))
        }
    }

    func value(with object: Any?, _ bindings: [String: Any]) -> Any? {
        guard case .code(let block, let arguments) = content else { return nil }
        let evaluator = PredicateEvaluator(object: object, bindings: bindings)
        return block(
            object, arguments.map { evaluator.value($0).object ?? NSNull() },
            NSMutableDictionary(dictionary: bindings))
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OperandExpression else { return false }
        if self === other { return true }
        guard case .operand(let own) = content, case .operand(let others) = other.content else { return false }
        return own == others
    }

    override var hash: Int {
        if case .operand(let operand) = content { operand.hashValue } else { ObjectIdentifier(self).hashValue }
    }

    override var description: String {
        if case .operand(let operand) = content { PredicatePrinter.format(operand) } else { "BLOCKEXPRESSION" }
    }
}
