import Foundation

/// Lets initializers of `NSExpression` return an object of a subclass; see ``PredicateFormatInitializable``.
public protocol ExpressionInitializable {}

@available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
extension NSExpression: ExpressionInitializable {}

@available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
extension ExpressionInitializable where Self: NSExpression {
    /// Makes an expression of a format and its arguments; a wrong one stops the program, as with predicates.
    public init(format expressionFormat: String, _ args: any CVarArg...) {
        self.init(format: expressionFormat, argumentArray: args)
    }

    /// Makes an expression of a format and its arguments; a wrong one stops the program, as with predicates.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        do {
            self.init(try PredicateParser.operand(expressionFormat, arguments))
        } catch {
            // The program's own text is wrong, as with predicates: Apple raises an exception, and callers of this API
            // expect an expression. Values from outside are arguments, which are never parsed.
            fatalError("\(error)")
        }
    }

    /// A constant.
    public init(forConstantValue obj: Any?) { self.init(.constant(obj)) }

    /// `$name`.
    public init(forVariable string: String) { self.init(.variable(string)) }

    /// Keys from the evaluated object on.
    public init(forKeyPath keyPath: String) { self.init(.path(keyPath)) }

    /// Keys from the evaluated object on. Stops the program if the key path has a part without a name, such as a subscript
    /// or a computed property of a class that is no managed object's.
    public init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        let named = (Root.self as? any KeyPathNaming.Type)?.names(in: keyPath) ?? PropertyNames.path(of: keyPath)
        guard let path = named else { preconditionFailure("a part of \(keyPath) has no name") }
        self.init(.path(path))
    }

    /// A call of one of ``PredicateFunction``; another name stops the program.
    public init(forFunction name: String, arguments parameters: [Any]) {
        guard let function = PredicateFunction.named(name, arguments: parameters.count) else {
            // The name of a function is the program's text, too; formats, those in archives as well, are parsed with errors.
            fatalError("there is no function '\(name)' with \(parameters.count) arguments")
        }
        self.init(.call(function, parameters.map { .constant($0) }))
    }

    /// A call of a method.
    public init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        self.init(.method(target.predicateOperand, name, (parameters ?? []).map { .constant($0) }))
    }

    /// `{a, b}`.
    public init(forAggregate subexpressions: [Any]) { self.init(.list(subexpressions.map { .constant($0) })) }

    /// The members of both, each once.
    public init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(.set(.union, left.predicateOperand, right.predicateOperand))
    }

    /// The members that both have.
    public init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(.set(.intersect, left.predicateOperand, right.predicateOperand))
    }

    /// The members that only the first has.
    public init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(.set(.minus, left.predicateOperand, right.predicateOperand))
    }

    /// The members for which a predicate holds.
    public init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: Any) {
        let tree = (predicate as? NSPredicate)?.predicateTree ?? .constant(false)
        self.init(.subquery(expression.predicateOperand, variable: variable, tree))
    }

    /// One of two.
    public init(forConditional predicate: Any, trueExpression: NSExpression, falseExpression: NSExpression) {
        let tree = (predicate as? NSPredicate)?.predicateTree ?? .constant(false)
        self.init(.conditional(tree, trueExpression.predicateOperand, falseExpression.predicateOperand))
    }

    /// What a block returns for the object, the values of the arguments and the variables.
    public init(block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?) {
        self.init(content: .code(block, arguments: (arguments ?? []).map(\.predicateOperand)))
    }

    /// The expression of an operand.
    public init(_ operand: PredicateOperand) {
        if case .code(let code) = operand, let expression = code.object as? Self {
            self = expression
        } else {
            self.init(content: .operand(operand))
        }
    }

    private init(content: OperandExpression.Content) {
        guard let expression = OperandExpression.make(content) as? Self else {
            // Only for a subclass of the program's own, whatever the values are.
            fatalError("\(Self.self) cannot be made; NSExpression can")
        }
        self = expression
    }
}

@available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
extension NSExpression {
    /// `SELF`.
    public static func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

    /// The expression as a value.
    public var predicateOperand: PredicateOperand {
        (self as? OperandExpression)?.ownOperand ?? .value(.null)
    }

    /// What the expression is for an object. `context` has the values of variables.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        var bindings: [String: Any] = [:]
        for (key, value) in context ?? [:] { if let key = key as? String { bindings[key] = value } }
        return PredicateEvaluator(object: object, bindings: bindings).value(predicateOperand).object
    }
}
