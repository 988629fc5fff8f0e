/// The values of all parameters of the command that was called, and of the commands above it.
public struct Values: Sendable {
    private let byTitle: [String: any Sendable]

    init(_ byTitle: [String: any Sendable]) { self.byTitle = byTitle }

    /// The value of `parameter`, which the command or one above it must have declared.
    public subscript<Value>(_ parameter: Parameter<Value>) -> Value {
        let title = parameter.declaration.title
        guard let value = byTitle[title] as? Value else { preconditionFailure("the command does not declare \(title)") }
        return value
    }

    /// The value of `parameter`; nil if neither the command nor one above it declares it.
    public subscript<Value>(ifDeclared parameter: Parameter<Value>) -> Value? {
        byTitle[parameter.declaration.title] as? Value
    }
}
