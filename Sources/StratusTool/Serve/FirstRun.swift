import StratusCloudCrypto
import StratusCloudServer

/// What `serve --first-run` makes in an empty cloud, and what it tells the operator.
struct FirstRun: Sendable {
    static let container = "iCloud.org.example.demo"
    static let email = "demo@example.org"

    let control: ControlService
    /// Where clients reach the server.
    let address: String
    let directory: DataDirectory

    private let context = ControlContext(container: container, environment: "development")

    init(control: ControlService, address: String, directory: DataDirectory) {
        self.control = control
        self.address = address
        self.directory = directory
    }

    /// Makes container, account and tokens if there is no container, and returns what to print.
    func text() async throws(ToolError) -> String {
        guard case .names(let containers) = try await perform(.listContainers) else { throw .unexpectedAnswer }
        guard let first = containers.first else { return try await welcome() }
        return """

            Base URL    \(address)
            Containers  \(containers.joined(separator: ", "))

            Tokens are shown only once. To create new ones:
              stratus token create --data '\(directory.path)' --container \(first) --environment development
              stratus session create --data '\(directory.path)' --container \(first) --environment development \
            --email \(Self.email)

            """
    }

    private func welcome() async throws(ToolError) -> String {
        let password = Self.readablePassword(.system)
        _ = try await perform(.createContainer(identifier: Self.container))
        try await makeAccount(password)
        let tokenRequest = ControlRequest.createToken(
            context: context, name: "first run", callback: nil, origins: [])
        guard case .token(let token) = try await perform(tokenRequest),
            case .session(let webAuthToken, _) = try await perform(
                .createSession(email: Self.email, context: context))
        else { throw .unexpectedAnswer }
        return """

            Base URL        \(address)
            Container       \(Self.container) (development)
            Account         \(Self.email)
            Password        \(password)
            API token       \(token)
            Web auth token  \(webAuthToken)

            These are shown only once. To save a note, find it by its text and look it up:

            \(curl("modify", token, webAuthToken, Self.save))

            \(curl("query", token, webAuthToken, Self.query))

            \(curl("lookup", token, webAuthToken, Self.lookup))

            For a program that imports CloudKit, set:

            export STRATUS_URL='\(address)' STRATUS_CONTAINER='\(Self.container)'
            export STRATUS_API_TOKEN='\(token)' STRATUS_WEB_AUTH_TOKEN='\(webAuthToken)'

            """
    }

    /// The account may be there: an earlier first run may have stopped in between, or the operator made it.
    private func makeAccount(_ password: String) async throws(ToolError) {
        let response = await control.perform(.createAccount(email: Self.email, password: password))
        if case .failed(let failure) = response, failure.error.code != .exists { throw ToolError(failure.error) }
    }

    private func perform(_ request: ControlRequest) async throws(ToolError) -> ControlResponse {
        let response = await control.perform(request)
        if case .failed(let failure) = response { throw ToolError(failure.error) }
        return response
    }

    private static let save =
        #"{"operations":[{"operationType":"forceReplace","record":{"recordType":"Note","recordName":"first-note","#
        + #""fields":{"text":{"value":"Hello, cloud"}}}}]}"#
    private static let query =
        #"{"query":{"recordType":"Note","filterBy":[{"fieldName":"text","comparator":"BEGINS_WITH","#
        + #""fieldValue":{"value":"Hello"}}]}}"#
    private static let lookup = #"{"records":[{"recordName":"first-note"}]}"#

    private func curl(_ operation: String, _ token: String, _ webAuthToken: String, _ body: String) -> String {
        let path = "/database/1/\(Self.container)/development/public/records/\(operation)"
        let query = "ckAPIToken=\(token)&ckWebAuthToken=\(Self.percentEncoded(webAuthToken))"
        return "curl -sS '\(address)\(path)?\(query)' -H 'Content-Type: application/json' -d '\(body)'"
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
                || "-._~".unicodeScalars.contains(scalar)
            return isPlain ? String(scalar) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }

    /// Twenty letters and digits that cannot be mistaken for each other, in groups: 98 bits.
    static func readablePassword(_ random: RandomSource) -> String {
        let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
        let letters = (0..<20).map { _ in alphabet[Int(random.integer() % UInt64(alphabet.count))] }
        return stride(from: 0, to: letters.count, by: 5).map { String(letters[$0..<$0 + 5]) }.joined(separator: "-")
    }
}
