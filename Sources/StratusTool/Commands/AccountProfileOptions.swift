import StratusCloudServer
import StratusCommandLine

/// Options that say who the person of an account is.
enum AccountProfileOptions {
    private static let givenName = Option.optional("given-name", text("name"), help: "The person's given name")
    private static let familyName = Option.optional("family-name", text("name"), help: "The person's family name")
    private static let phone = Option.optional(
        "phone", text("number"), help: "The person's phone number, such as '+44 20 7946 0000'")

    static let all: [any ParameterDeclaring] = [givenName, familyName, phone]

    /// What the options say.
    static func profile(_ values: Values) -> ControlProfile {
        ControlProfile(givenName: values[givenName], familyName: values[familyName], phone: values[phone])
    }

    /// Any text, the empty one included.
    private static func text(_ placeholder: String) -> ValueKind<String> {
        ValueKind(placeholder: placeholder) { text throws(UsageError) in text }
    }
}
