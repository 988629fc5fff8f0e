import Foundation

/// What `NSExpression`'s initializers make.
@available(*, deprecated, message: "Only because Foundation on Linux says so of its superclass.")
final class OperandExpression: NSExpression, PredicateOperandConvertible, PredicateExpressionCode {
    /// An operand or code.
    enum Content {
        case operand(PredicateOperand)
        case code((Any?, [Any], NSMutableDictionary?) -> Any, arguments: [PredicateOperand])
    }

    /// Keeps the content by reference, so that the property below can be nil.
    private final class Holder {
        let content: Content

        init(_ content: Content) { self.content = content }
    }

    // The same property as Shell's, of which objects of this class are made. The superclass has no initializer that one
    // of this class could call.
    private var holder: Holder?

    private final class Shell: NSObject {
        private var holder: Holder?

        init(_ holder: Holder) { self.holder = holder }
    }

    var content: Content { holder?.content ?? .operand(.value(.null)) }

    static func make(_ content: Content) -> OperandExpression {
        guard ClassExchange.fits(Shell.self, OperandExpression.self) else { return makeAnew(content) }
        return ClassExchange.exchange(Shell(Holder(content)), for: OperandExpression.self)
    }

    /// The way for runtimes whose objects are laid out in another way than expected.
    static func makeAnew(_ content: Content) -> OperandExpression {
        let expression = ClassExchange.zeroed(OperandExpression.self)
        expression.holder = Holder(content)
        return expression
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
