import Foundation
import Workers

/// Keeps the configuration of the process, and what was made of it.
final class ConfigurationHolder: Sendable {
    private struct State: Sendable {
        var given: StratusConfiguration?
        var read: Result<StratusConfiguration, StratusConfiguration.Failure>?
        var connections: [String: CloudConnection] = [:]
    }

    static let shared = ConfigurationHolder()
    private let state = Lock(State())

    func current() throws(StratusConfiguration.Failure) -> StratusConfiguration {
        let known = state.withLock { $0.given.map { .success($0) } ?? $0.read }
        if let known { return try known.get() }
        let read = Result { () throws(StratusConfiguration.Failure) in
            try ConfigurationReader.system.configuration()
        }
        state.withLock { $0.read = $0.read ?? read }
        return try read.get()
    }

    func use(_ configuration: StratusConfiguration?) {
        state.withLock { state in
            state.given = configuration
            state.read = nil
            state.connections = [:]
        }
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    /// The connection that all containers of one name share.
    /// - Parameter identifier: nil for the default container.
    func connection(to identifier: String?) -> CloudConnection {
        let name = identifier ?? ""
        if let known = state.withLock({ $0.connections[name] }) { return known }
        let made = makeConnection(to: identifier)
        return state.withLock { state in
            let connection = state.connections[name] ?? made
            state.connections[name] = connection
            return connection
        }
    }

    private func makeConnection(to identifier: String?) -> CloudConnection {
        do throws(StratusConfiguration.Failure) {
            let configuration = try current()
            let endpoint = try configuration.endpoint(of: identifier)
            let http = SharedHTTPClients.client(certificateAuthorityFile: configuration.certificateAuthorityFile)
            return CloudConnection(
                containerIdentifier: endpoint.container.rawValue, transport: HTTPCloudTransport(endpoint, http: http))
        } catch {
            return CloudConnection(
                containerIdentifier: identifier ?? "", transport: UnconfiguredTransport(reason: error.description))
        }
    }
}
