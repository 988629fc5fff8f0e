import Foundation
import StratusDeviceCredentials
import StratusWorkers

/// Keeps a configuration, and what was made of it: that of the process, or one of a container's own.
final class ConfigurationHolder: Sendable {
    private struct Entry: Sendable {
        var connection: CloudConnection
        /// Where the web auth token came from, if it is a stored one.
        var session: StoredSession?
    }

    private struct State: Sendable {
        var given: StratusConfiguration?
        var read: Result<StratusConfiguration, StratusConfiguration.Failure>?
        var entries: [String: Entry] = [:]
        /// Who is signed in, as far as was noticed.
        var identities: Set<[String]> = []
        var watch: FileWatch?
        var watched: CredentialsFile?
    }

    /// That of the process.
    static let shared = ConfigurationHolder()
    private let state: Lock<State>

    /// - Parameter configuration: nil for what environment and files say.
    init(_ configuration: StratusConfiguration? = nil) { state = Lock(State(given: configuration)) }

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
        let former = state.withLock { state in
            let former = state.watch
            state = State(given: configuration)
            return former
        }
        withExtendedLifetime(former) {}
        observe()
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    /// Begins to notice who signs in and out in other processes.
    func observe() {
        let file = state.withLock { $0.given.map(\.credentialsFile) } ?? StratusConfiguration.userCredentialsFile
        guard let file, state.withLock({ $0.watched == nil }) else { return }
        let watch = FileWatch(file.path) { [weak self] in self?.credentialsChanged() }
        let identities = identities(in: file)
        state.withLock { state in
            guard state.watched == nil else { return }
            (state.watched, state.watch, state.identities) = (file, watch, identities)
        }
    }

    private var profile: String {
        state.withLock { $0.given }?.profile ?? StratusConfiguration.userProfile
    }

    /// Who is signed in, and where; nobody where it cannot be read, which is said when it is used.
    private func identities(in file: CredentialsFile) -> Set<[String]> {
        Set((try? file.read().sessions(of: profile).map(\.identity)) ?? [])
    }

    /// Another process, or this one, wrote the credentials.
    private func credentialsChanged() {
        guard let file = state.withLock({ $0.watched }) else { return }
        let sessions = (try? file.read().sessions(of: profile)) ?? []
        let identities = Set(sessions.map(\.identity))
        let isChanged = state.withLock { state in
            guard state.identities != identities else { return false }
            state.identities = identities
            state.read = nil
            state.entries = [:]
            return true
        }
        if isChanged {
            NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
            return
        }
        for entry in state.withLock({ Array($0.entries.values) }) {
            guard let session = entry.session, let transport = entry.connection.transport as? HTTPCloudTransport,
                let fresh = sessions.first(where: { $0.identity == session.identity })
            else { continue }
            transport.adopt(fresh.webAuthToken)
        }
    }

    /// The connection that all containers of one name share.
    /// - Parameter identifier: nil for the default container.
    func connection(to identifier: String?) -> CloudConnection {
        if self === Self.shared, let provider = ContainerProvider.installed {
            return provider.container(identifier).source.connection
        }
        let name = identifier ?? ""
        if let known = state.withLock({ $0.entries[name] }) { return known.connection }
        observe()
        let made = makeEntry(for: identifier)
        return state.withLock { state in
            let entry = state.entries[name] ?? made
            state.entries[name] = entry
            return entry.connection
        }
    }

    private func makeEntry(for identifier: String?) -> Entry {
        do throws(StratusConfiguration.Failure) {
            let configuration = try current()
            let file = configuration.credentialsFile
            let profile = configuration.profile ?? StoredCredentials.standardProfile
            let sessions: [StoredSession]
            do throws(CredentialsError) {
                sessions = try file?.read().sessions(of: profile) ?? []
            } catch {
                throw StratusConfiguration.Failure(description: "\(error).")
            }
            let place = try configuration.place(of: identifier, sessions)
            let keeper = file.flatMap { file in place.session.map { TokenKeeper($0, of: profile, in: file) } }
            let transport = HTTPCloudTransport(
                place.endpoint,
                http: SharedHTTPClients.client(certificateAuthorityFile: place.certificateAuthorityFile),
                renewed: { keeper?.keep($0) })
            let keys = configuration.keyStorage.store
            let connection = CloudConnection(
                containerIdentifier: place.endpoint.container.rawValue, transport: transport,
                keyring: Keyring(store: keys),
                operations: OperationStore(
                    directory: configuration.operationsDirectory(of: place.endpoint), keys: keys))
            return Entry(connection: connection, session: place.session)
        } catch {
            let connection = CloudConnection(
                containerIdentifier: identifier ?? "", transport: UnconfiguredTransport(reason: error.description),
                keyring: Keyring(store: MemoryKeyStore()))
            return Entry(connection: connection)
        }
    }
}

extension StratusConfiguration {
    /// The credentials of the user of this process.
    static let userCredentialsFile = CredentialsFile(environment: ProcessInfo.processInfo.environment)

    /// The profile that the environment names.
    static let userProfile =
        ProcessInfo.processInfo.environment["STRATUS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        ?? StoredCredentials.standardProfile
}
