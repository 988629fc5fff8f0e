import Foundation
import Glibc
import StratusCloudModel
import StratusDeviceCredentials
import StratusHTTPClient

extension StratusConfiguration {
    /// Where a container is, and where that is known from.
    struct Place {
        var endpoint: HTTPCloudTransport.Endpoint
        var certificateAuthorityFile: String?
        /// The sign-in that the web auth token is of, if it is a stored one.
        var session: StoredSession?
    }

    /// The file of the stored credentials; nil where none are used.
    var credentialsFile: CredentialsFile? {
        guard profile != nil else { return nil }
        return credentialsDirectory.map { CredentialsFile(directory: $0) } ?? Self.userCredentialsFile
    }

    /// A server's address as it is stored and compared.
    static func address(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

    /// Where a container is, and as whom to ask; nil for the first container.
    /// - Parameter sessions: the stored sign-ins of the profile; what is said elsewhere goes before them.
    func place(of identifier: String?, _ sessions: [StoredSession] = []) throws(Failure) -> Place {
        let sessions = sessions.filter { $0.url == Self.address(url) && $0.environment == environment }
        guard let name = identifier ?? containers.first?.identifier ?? sessions.first?.container else {
            throw Failure(
                description: "No container is configured: sign in with 'stratus login', set STRATUS_CONTAINER, or "
                    + "'containers' in stratus.json.")
        }
        guard let container = ContainerIdentifier(name) else {
            throw Failure(description: "'\(name)' is no container identifier; they begin with 'iCloud.'.")
        }
        guard let environment = CloudEnvironment(rawValue: environment) else {
            throw Failure(description: "'\(environment)' is no environment; use development or production.")
        }
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
            throw Failure(description: "'\(url)' is no address of a server; it begins with https:// or http://.")
        }
        let own = containers.first { $0.identifier == name }
        let session = sessions.first { $0.container == name }
        guard let apiToken = own?.apiToken ?? apiToken ?? session?.apiToken else {
            throw Failure(
                description: "There is no API token for '\(name)': sign in with 'stratus login', set "
                    + "STRATUS_API_TOKEN, or 'apiToken' in stratus.json.")
        }
        let named = own?.webAuthToken ?? webAuthToken
        return Place(
            endpoint: HTTPCloudTransport.Endpoint(
                server: url, container: container, environment: environment, apiToken: apiToken,
                webAuthToken: named ?? session?.webAuthToken),
            certificateAuthorityFile: certificateAuthorityFile ?? session?.certificateAuthorityFile,
            session: named == nil ? session : nil)
    }
}

extension StratusConfiguration {
    /// The sign-in that requests to a container are made with, for programs that send them themselves.
    /// - Returns: The session, and whether it is a stored one; nil if nobody is signed in.
    package func session(of identifier: String) throws(Failure) -> (session: StoredSession, isStored: Bool)? {
        let sessions: [StoredSession]
        do throws(CredentialsError) {
            sessions = try credentialsFile?.read().sessions(of: profile ?? StoredCredentials.standardProfile) ?? []
        } catch {
            throw Failure(description: "\(error).")
        }
        let place = try place(of: identifier, sessions)
        if let session = place.session { return (session, true) }
        guard let token = place.endpoint.webAuthToken else { return nil }
        let session = StoredSession(
            url: Self.address(place.endpoint.server), container: place.endpoint.container.rawValue,
            environment: place.endpoint.environment.rawValue, apiToken: place.endpoint.apiToken, webAuthToken: token,
            userRecordName: "", certificateAuthorityFile: place.certificateAuthorityFile, renewed: 0)
        return (session, false)
    }

    /// Where a container's long-lived operations are kept: those of other programs, clouds and containers lie elsewhere.
    func operationsDirectory(of endpoint: HTTPCloudTransport.Endpoint) -> String {
        let place = [endpoint.server, endpoint.container.rawValue, endpoint.environment.rawValue]
        return (stateDirectory ?? Self.programStateDirectory) + "/operations/"
            + place.map(PercentEncoding.encode).joined(separator: "/")
    }

    /// `$XDG_STATE_HOME/stratus/PROGRAM`; for users without a home a directory of their own for temporary files.
    private static let programStateDirectory: String = {
        let variables = ProcessInfo.processInfo.environment
        func absolute(_ path: String?) -> String? { path.flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let base =
            absolute(variables["XDG_STATE_HOME"]) ?? absolute(variables["HOME"]).map { $0 + "/.local/state" }
            ?? FileManager.default.temporaryDirectory.path + "/stratus-state-\(getuid())"
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0).lastPathComponent }
        return base + "/stratus/" + PercentEncoding.encode(program ?? "program")
    }()
}
