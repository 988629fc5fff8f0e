/// Where a container's connection comes from.
enum ContainerSource: Sendable {
    /// From a transport of the program's.
    case fixed(CloudConnection)
    /// From a configuration, as it is when a call is made; nil for the default container.
    case configured(String?, ConfigurationHolder)

    /// From the configuration of the process.
    static func configured(_ identifier: String?) -> ContainerSource { .configured(identifier, .shared) }

    var connection: CloudConnection {
        switch self {
        case .fixed(let connection): connection
        case .configured(let identifier, let holder): holder.connection(to: identifier)
        }
    }

    /// Begins to notice who signs in and out.
    func observe() {
        if case .configured(_, let holder) = self { holder.observe() }
    }
}
