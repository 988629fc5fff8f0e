/// Where a container's connection comes from.
enum ContainerSource: Sendable {
    /// From a transport of the program's.
    case fixed(CloudConnection)
    /// From the configuration of the process, as it is when a call is made; nil for the default container.
    case configured(String?)

    var connection: CloudConnection {
        switch self {
        case .fixed(let connection): connection
        case .configured(let identifier): ConfigurationHolder.shared.connection(to: identifier)
        }
    }
}
