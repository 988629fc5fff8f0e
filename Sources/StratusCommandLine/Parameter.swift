/// An option or a positional argument of a command, and the key to its value: `values[port]`.
public struct Parameter<Value: Sendable>: Sendable, ParameterDeclaring {
    /// Everything but the type.
    public let declaration: Declaration

    init(declaration: Declaration) { self.declaration = declaration }
}

/// A parameter of any type.
public protocol ParameterDeclaring: Sendable {
    /// Everything but the type.
    var declaration: Declaration { get }
}

/// What the parser and the help need to know of a parameter.
public struct Declaration: Sendable {
    enum Form {
        case flag
        case option
        case positional
    }

    /// As it is typed, without dashes.
    public let name: String
    let short: Character?
    let help: String
    let form: Form
    let placeholder: String
    /// What is allowed and what is assumed, for help.
    let notes: [String]
    let isRequired: Bool
    let isRepeated: Bool
    /// What shells offer for the value.
    var completion = ValueCompletion.nothing
    /// The value of the texts that were typed for this parameter, in order.
    let interpret: @Sendable ([String]) throws(UsageError) -> any Sendable

    /// How messages call the parameter.
    var title: String {
        switch form {
        case .flag, .option: "--\(name)"
        case .positional: "<\(name)>"
        }
    }
}
