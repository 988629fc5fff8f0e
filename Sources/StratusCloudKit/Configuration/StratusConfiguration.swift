import Foundation
import StratusCloudModel

/// Where the cloud is, and as whom to use it.
///
/// Comes from the program itself, `StratusConfiguration.use(…)`; else from the environment's `STRATUS_…` variables, over
/// `stratus.json`, over what `stratus login` stored.
public struct StratusConfiguration: Hashable, Sendable {
    /// A container that the program uses.
    public struct Container: Hashable, Sendable {
        /// Its name, such as `iCloud.org.example.notes`.
        public var identifier: String
        /// Names the app there; nil for the configuration's.
        public var apiToken: String?
        /// Names the person there; nil for the configuration's.
        public var webAuthToken: String?

        /// Names a container.
        public init(_ identifier: String, apiToken: String? = nil, webAuthToken: String? = nil) {
            self.identifier = identifier
            self.apiToken = apiToken
            self.webAuthToken = webAuthToken
        }
    }

    /// Scheme, host and port of the server, such as `https://cloud.example`.
    public var url: String
    /// `development` or `production`
    public var environment: String
    /// The containers; the first is the default one.
    public var containers: [Container]
    /// Names the app.
    public var apiToken: String?
    /// Names the person; nil where nobody is signed in.
    public var webAuthToken: String?
    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// Whose stored credentials are used where nothing else names a person: those that `stratus login --profile` made.
    /// nil uses none.
    public var profile: String?
    /// The directory of the stored credentials; nil for the user's own, `$XDG_CONFIG_HOME/stratus/accounts`.
    public var credentialsDirectory: String?
    /// Where operations that outlive the process are kept; nil for the program's own directory in
    /// `$XDG_STATE_HOME/stratus`.
    public var stateDirectory: String?
    /// Where this device keeps the keys of encrypted values.
    public var keyStorage: KeyStorage

    /// Where a device keeps its keys.
    public enum KeyStorage: Hashable, Sendable {
        /// In files that only the user can read; nil for `$XDG_DATA_HOME/stratus/keys`.
        case files(directory: String?)
        /// With the desktop's keyring, through the command `secret-tool`.
        case secretService

        /// Reads what configurations say: `secret-service`, or the path of a directory.
        init(_ text: String?) { self = text == "secret-service" ? .secretService : .files(directory: text) }

        var store: any DeviceKeyStore {
            switch self {
            case .files(let directory): directory.map { FileKeyStore(directory: $0) } ?? .standard
            case .secretService: SecretServiceKeyStore()
            }
        }
    }

    /// Makes a configuration.
    public init(
        url: String, environment: String = "development", containers: [Container] = [], apiToken: String? = nil,
        webAuthToken: String? = nil, certificateAuthorityFile: String? = nil, profile: String? = nil,
        credentialsDirectory: String? = nil, stateDirectory: String? = nil,
        keyStorage: KeyStorage = .files(directory: nil)
    ) {
        self.keyStorage = keyStorage
        self.url = url
        self.environment = environment
        self.containers = containers
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        self.certificateAuthorityFile = certificateAuthorityFile
        self.profile = profile
        self.credentialsDirectory = credentialsDirectory
        self.stateDirectory = stateDirectory
    }

    /// Why there is no configuration.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence that names the file or variable in question.
        public let description: String
    }

    /// The configuration of this process. Setting it tells the containers that are there, by
    /// `NSNotification.Name.CKAccountChanged`.
    /// - Throws: when it is read: what is missing or wrong.
    public static func current() throws(Failure) -> StratusConfiguration { try ConfigurationHolder.shared.current() }

    /// Sets the configuration of this process; nil goes back to files and environment.
    public static func use(_ configuration: StratusConfiguration?) { ConfigurationHolder.shared.use(configuration) }
}
