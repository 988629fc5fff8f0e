import StratusCloudModel
import StratusCloudStore

extension Partition {
    /// Accounts, containers, tokens, keys and sessions of the whole cloud.
    static let directory = Partition("directory")

    /// What is to be finished after the transactions that began it, of all databases.
    static let deferredWork = Partition("deferred")

    /// What a container keeps for one environment beside its databases: its schema.
    static func context(_ context: CloudContext) -> Partition {
        Partition(.joined(context.container.rawValue, "/", context.environment.rawValue))
    }

    static func publicDatabase(of context: CloudContext) -> Partition {
        Partition(.joined(context.container.rawValue, "/", context.environment.rawValue, "/public"))
    }

    /// The context of which this is a database, nil if it is something else.
    var databaseContext: CloudContext? {
        let parts = name.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "public" || parts[2].hasPrefix("private/"),
            let container = ContainerIdentifier(String(parts[0])),
            let environment = CloudEnvironment(rawValue: String(parts[1]))
        else { return nil }
        return CloudContext(container: container, environment: environment)
    }

    /// Whose private database this is; nil if it is none of the context's.
    func privateOwner(in context: CloudContext) -> String? {
        let prefix = Partition.privateDatabase(of: "", in: context).name
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    static func privateDatabase(of userRecordName: String, in context: CloudContext) -> Partition {
        Partition(
            .joined(context.container.rawValue, "/", context.environment.rawValue, "/private/", userRecordName))
    }

    /// What others share with somebody. Nothing is stored here: the name is what tokens are bound to.
    static func sharedDatabase(of userRecordName: String, in context: CloudContext) -> Partition {
        Partition(
            .joined(context.container.rawValue, "/", context.environment.rawValue, "/shared/", userRecordName))
    }
}
