import FoundationEssentials
import StratusCloudModel
import StratusCommandLine
import StratusDeviceCredentials

/// Where somebody signs in: what the command line says, for the rest the environment, for the rest `stratus.json`, as for
/// programs that import CloudKit.
struct SignInTarget {
    let url: String
    let container: String
    let environment: CloudEnvironment
    let apiToken: String
    let certificateAuthorityFile: String?

    init(_ values: Values, profile: String) throws(ToolError) {
        // First what is in front, so that nobody who mistyped it is told of something else.
        let named = values[SignInOptions.url] ?? SignInOptions.variable("STRATUS_URL")
        if let named { try Self.check(url: named) }
        let variables = ProcessInfo.processInfo.environment
        let file: ClientConfiguration?
        do throws(CredentialsError) {
            file = try ClientConfiguration.find(variables, in: ClientConfiguration.places(variables))
        } catch {
            throw ToolError(error.description, code: "CONFIGURATION", exitCode: .usage)
        }
        let said = file?.profile(profile) ?? file
        guard let url = named ?? said?.url else {
            throw .usage("the address of the cloud is missing; give it, or set STRATUS_URL or a stratus.json")
        }
        try Self.check(url: url)
        self.url = url

        let name =
            values[SignInOptions.environment] ?? SignInOptions.variable("STRATUS_ENVIRONMENT")
            ?? said?.environment ?? "development"
        guard let environment = CloudEnvironment(rawValue: name) else {
            throw .usage("'\(name)' is not an environment; use development or production")
        }
        self.environment = environment

        let container =
            values[SignInOptions.container] ?? SignInOptions.variable("STRATUS_CONTAINER")
            ?? said?.containers?.first?.identifier
        guard let container else { throw Self.missing("--container", "STRATUS_CONTAINER") }
        guard ContainerIdentifier(container) != nil else {
            throw .usage("'\(container)' is not a container; containers begin with 'iCloud.'")
        }
        self.container = container

        let own = said?.containers?.first { $0.identifier == container }
        let token =
            values[SignInOptions.apiToken] ?? SignInOptions.variable("STRATUS_API_TOKEN") ?? own?.apiToken
            ?? said?.apiToken
        guard let token else { throw Self.missing("--api-token", "STRATUS_API_TOKEN") }
        apiToken = token
        certificateAuthorityFile = SignInOptions.variable("STRATUS_CA_FILE") ?? said?.certificateAuthorityFile
    }

    private static func missing(_ what: String, _ variable: String) -> ToolError {
        .usage("\(what) is missing; give it, or set \(variable) or a stratus.json")
    }

    /// - Throws: what is wrong with the address of a server.
    static func check(url: String) throws(ToolError) {
        guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else {
            throw .usage("'\(url)' is not the address of a server; addresses begin with https:// or http://")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let more = rest.dropFirst(authority.count)
        guard more.isEmpty || more == "/" else {
            throw .usage("'\(url)' may only have a scheme, a host and a port; leave out '\(more)'")
        }
        guard !authority.contains("@") else {
            throw .usage("'\(url)' has a user name; remove what is before the '@', and give --email")
        }
        let (host, port) = parts(of: authority)
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .usage("'\(url)' has no host")
        }
        if let port, !(1...65_535).contains(Int(port) ?? 0) {
            throw .usage("'\(port)' in '\(url)' is not a port; ports are 1 to 65535")
        }
    }

    /// Host and port; an IPv6 address stands in brackets.
    private static func parts(of authority: Substring) -> (host: Substring, port: Substring?) {
        let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }
}
