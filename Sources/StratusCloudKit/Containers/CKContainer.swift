import Foundation
import StratusCloudModel
import StratusWorkers

/// An app's cloud: its databases, and the people in it.
public final class CKContainer: NSObject, Sendable {
    let source: ContainerSource
    let options: ScopedOptions
    /// The database that belongs to everybody.
    public let publicCloudDatabase: CKDatabase
    /// The database that belongs to the current user.
    public let privateCloudDatabase: CKDatabase
    /// The view of what others share with the current user.
    public let sharedCloudDatabase: CKDatabase

    /// A container by its name, such as `iCloud.org.example.notes`; where the cloud is says ``StratusConfiguration``.
    public convenience init(identifier containerIdentifier: String) {
        self.init(.current(containerIdentifier), ScopedOptions())
    }

    /// A container of a configuration of its own, whatever that of the process is.
    public convenience init(identifier containerIdentifier: String, configuration: StratusConfiguration) {
        self.init(.configured(containerIdentifier, ConfigurationHolder(configuration)), ScopedOptions())
    }

    /// A container that is reached in a way of the program's own.
    /// - Parameters:
    ///   - keyStore: where this device keeps the keys of encrypted values, and of operations that outlive the process.
    ///   - stateDirectory: where operations that outlive the process are kept; nil for a place that is this process's
    ///     alone.
    public convenience init(
        identifier containerIdentifier: String, transport: any CloudTransport,
        keyStore: any DeviceKeyStore = FileKeyStore.standard, stateDirectory: String? = nil
    ) {
        let operations =
            stateDirectory.map { OperationStore(directory: $0 + "/operations", keys: keyStore) } ?? .temporary()
        let connection = CloudConnection(
            containerIdentifier: containerIdentifier, transport: transport, keyring: Keyring(store: keyStore),
            operations: operations)
        self.init(.fixed(connection), ScopedOptions())
    }

    /// A container whose connection is asked for each time a call is made.
    package convenience init(connection: @escaping @Sendable () -> CloudConnection) {
        self.init(.provided(connection), ScopedOptions())
    }

    init(_ source: ContainerSource, _ options: ScopedOptions) {
        self.source = source
        self.options = options
        publicCloudDatabase = CKDatabase(.public, source, options)
        privateCloudDatabase = CKDatabase(.private, source, options)
        sharedCloudDatabase = CKDatabase(.shared, source, options)
        source.observe()
    }

    private static let standard = CKContainer(.configured(nil), ScopedOptions())

    /// The first container of the configuration.
    public class func `default`() -> CKContainer { ContainerProvider.current?.container(nil) ?? standard }

    /// The container's name; nil for the default container of a program without a configuration.
    public var containerIdentifier: String? {
        let name = source.connection.containerIdentifier
        return name.isEmpty ? nil : name
    }

    /// One of the three databases; the same object each time.
    public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
        switch databaseScope {
        case .public: publicCloudDatabase
        case .private: privateCloudDatabase
        case .shared: sharedCloudDatabase
        }
    }

    /// For logs.
    public override var description: String { "<CKContainer: containerIdentifier=\(containerIdentifier ?? "nil")>" }

    /// A client for what is about the container rather than a database.
    func client(_ options: CallOptions? = nil) -> DatabaseClient {
        DatabaseClient(
            connection: source.connection, scope: .public, options: options ?? self.options.callOptions(.userInitiated))
    }
}
