import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// Options that say which container, environment and database a command is about.
enum TargetOptions {
    /// The databases that the tool works in.
    enum Scope: String, CaseIterable, Sendable {
        case `public`, `private`
    }

    static let container = Option.required(
        "container", .string("identifier"), help: "The container, such as iCloud.org.example.demo")
    static let environment = Option.required(
        "environment", ValueKind<CloudEnvironment>.choice(placeholder: "environment"),
        help: "Which copy of the container")
    static let database = Option.required(
        "database", ValueKind<Scope>.choice(placeholder: "database"), help: "Which database")
    static let email = Option.optional(
        "email", .string("address"),
        help: "The account: whose private database it is, or who creates records in the public one")
    static let zone = Option.optional("zone", .string("name"), help: "The zone")

    /// Options of a context.
    static let context: [any ParameterDeclaring] = [container, environment]
    /// Options of a database.
    static let all: [any ParameterDeclaring] = [container, environment, database, email]
}

extension Values {
    /// The context that ``TargetOptions/context`` name.
    var context: ControlContext {
        ControlContext(
            container: self[TargetOptions.container], environment: self[TargetOptions.environment].rawValue)
    }

    /// The database that ``TargetOptions/all`` name.
    func controlDatabase() throws(ToolError) -> ControlDatabase {
        let scope = self[TargetOptions.database]
        let email = self[TargetOptions.email]
        guard scope == .public || email != nil else {
            throw .usage("--database private needs --email: the account whose database it is")
        }
        return ControlDatabase(context: context, scope: scope.rawValue, email: email)
    }
}
