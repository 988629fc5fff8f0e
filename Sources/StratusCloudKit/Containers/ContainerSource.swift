/// Where a container's connection comes from.
enum ContainerSource: Sendable {
    /// From a transport of the program's.
    case fixed(CloudConnection)
    /// From a configuration, as it is when a call is made; nil for the default container.
    case configured(String?, ConfigurationHolder)
    /// From whoever is asked, each time a call is made.
    case provided(@Sendable () -> CloudConnection)

    /// From the configuration of the process.
    static func configured(_ identifier: String?) -> ContainerSource { .configured(identifier, .shared) }

    /// Where a container comes from that the program asks for by name here and now; nil asks for the default one.
    static func current(_ identifier: String?) -> ContainerSource {
        ContainerProvider.current.map { $0.container(identifier).source } ?? .configured(identifier)
    }

    var connection: CloudConnection {
        switch self {
        case .fixed(let connection): connection
        case .configured(let identifier, let holder): holder.connection(to: identifier)
        case .provided(let connection): connection()
        }
    }

    /// Begins to notice who signs in and out.
    func observe() {
        if case .configured(_, let holder) = self { holder.observe() }
    }
}
