import FoundationEssentials
import StratusCommandLine
import StratusDeviceCredentials

/// Options of `stratus login` and `stratus logout`, and what the environment says in their place, as for the SDK.
enum SignInOptions {
    static let profile = Option.optional(
        "profile", .string("name"),
        help: "The name of the account's profile on this machine; $STRATUS_PROFILE or 'default' by default")
    static let container = Option.optional(
        "container", .string("identifier"),
        help:
            "The container, such as iCloud.org.example.notes; $STRATUS_CONTAINER or the first of stratus.json "
            + "by default"
    )
    static let environment = Option.optional(
        "environment", .string("environment"),
        help: "development or production; $STRATUS_ENVIRONMENT, stratus.json or development by default")
    static let apiToken = Option.optional(
        "api-token", .string("token"), help: "The API token of the app; $STRATUS_API_TOKEN or stratus.json by default")
    static let prompt = Option.flag(
        "prompt", help: "Asks for the e-mail address and password in the terminal instead of a browser")
    static let email = Option.optional(
        "email", .string("address"), help: "The account, with --prompt or --password-stdin")
    static let passwordFromInput = Option.flag(
        "password-stdin", help: "Reads the password from standard input, up to the first line break; needs --email")
    static let url = Positional.optional(
        "url", .string("url"),
        help: "The cloud, such as https://cloud.example; $STRATUS_URL or stratus.json by default")

    /// A value of the environment; empty counts as not set.
    static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    static func profile(_ values: Values) throws(ToolError) -> String {
        let name = values[profile] ?? variable("STRATUS_PROFILE") ?? StoredCredentials.standardProfile
        guard StoredCredentials.isProfileName(name) else {
            throw .usage(
                "'\(name)' is not a profile name; use up to \(StoredCredentials.profileLength) letters, digits, "
                    + "'.', '_' and '-'")
        }
        return name
    }

    /// The credentials of the user who runs the command.
    static func file() throws(ToolError) -> CredentialsFile {
        guard let file = CredentialsFile(environment: ProcessInfo.processInfo.environment) else {
            throw ToolError("credentials cannot be stored: neither XDG_CONFIG_HOME nor HOME is set")
        }
        return file
    }
}

extension ToolError {
    init(_ error: CredentialsError) { self.init(error.description, code: "CREDENTIALS") }
}
