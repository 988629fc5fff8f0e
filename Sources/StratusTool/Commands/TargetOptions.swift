import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// Options that say which container, environment and database a command works on.
enum TargetOptions {
    /// The databases that the tool works in.
    enum Scope: String, CaseIterable, Sendable {
        case `public`, `private`
    }

    static let container = Option.optional(
        "container", .string("identifier"),
        help: "The container, such as iCloud.org.example.demo; $STRATUS_CONTAINER or the context by default")
    static let environment = Option.optional(
        "environment", ValueKind<CloudEnvironment>.choice(placeholder: "environment"),
        help: "The environment of the container; $STRATUS_ENVIRONMENT or the context by default")
    static let database = Option.optional(
        "database", ValueKind<Scope>.choice(placeholder: "database"),
        help: "The database; $STRATUS_DATABASE or the context by default")
    static let email = Option.optional(
        "email", .string("address"),
        help: "The account: the owner of the private database, or the creator of records in the public one; "
            + "$STRATUS_EMAIL or the context by default")
    static let zone = Option.optional("zone", .string("name"), help: "The zone")

    /// Options of a context.
    static let context: [any ParameterDeclaring] = [container, environment]
    /// Options of a database.
    static let all: [any ParameterDeclaring] = [container, environment, database, email]
}
