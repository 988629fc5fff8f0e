import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService

/// API tokens and server-to-server keys.
enum ConsoleCredentials {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/tokens", .team(.seeCredentials), listTokens),
        ConsoleRoute("POST", "c/:container/:environment/tokens", .team(.changeTokens), createToken),
        ConsoleRoute("PUT", "c/:container/:environment/tokens/:id", .team(.changeTokens), changeToken),
        ConsoleRoute("DELETE", "c/:container/:environment/tokens/:id", .team(.changeTokens), revokeToken),
        ConsoleRoute("GET", "c/:container/:environment/keys", .team(.seeCredentials), listKeys),
        ConsoleRoute("POST", "c/:container/:environment/keys", .team(.changeKeys), registerKey),
        ConsoleRoute("DELETE", "c/:container/:environment/keys/:id", .team(.changeKeys), revokeKey),
    ]

    private struct Tokens: Encodable {
        var tokens: [ControlCredential]
    }

    private struct Keys: Encodable {
        var keys: [ControlCredential]
    }

    private static func listTokens(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try ConsoleAnswer(
            encoding: Tokens(
                tokens: try await call.service.listAPITokens(of: try call.context()).map(ControlCredential.init)))
    }

    /// The token itself is in this answer and never again.
    private static func createToken(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let token = try await call.service.createAPIToken(
            for: try call.context(), name: try body.text("name"), signInCallback: try body.optionalText("callback"),
            allowedOrigins: try body.texts("origins", atMost: ServiceLimits.originsPerToken))
        return ConsoleAnswer(["token": .string(token), "id": .string(CloudService.tokenID(of: token) ?? "")])
    }

    private static func changeToken(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.setOrigins(
            try call.body().texts("origins", atMost: ServiceLimits.originsPerToken),
            ofAPIToken: try call.parameter("id"),
            of: try call.context())
        return .done
    }

    private static func revokeToken(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.revokeAPIToken(try call.parameter("id"), of: try call.context())
        return .done
    }

    private static func listKeys(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try ConsoleAnswer(
            encoding: Keys(
                keys: try await call.service.listServerKeys(of: try call.context()).map(ControlCredential.init)))
    }

    private static func registerKey(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let context = try call.context()
        var members: [(String, ConsoleJSON)] = []
        let publicKey: String
        if let given = try body.optionalText("publicKey") {
            publicKey = given
        } else {
            let pair = try newKeyPair()
            publicKey = pair.publicKey
            members.append(("privateKey", .string(pair.privateKey)))
        }
        let id = try await call.service.registerServerKey(
            for: context, name: try body.text("name"), publicKeyPEM: publicKey)
        let user = try await call.service.listServerKeys(of: context).first { $0.id == id }?.userRecordName
        return ConsoleAnswer(.object([("id", .string(id)), ("userRecordName", ConsoleJSON(user))] + members))
    }

    /// For who has no tool to make one: the private half is in the answer, and stored nowhere.
    private static func newKeyPair() throws(CloudError) -> (privateKey: String, publicKey: String) {
        do {
            let key = try P256PrivateKey.generate()
            return (try key.pem(), try key.publicKey.pem())
        } catch {
            throw CloudError(.internalError, "the key could not be created")
        }
    }

    private static func revokeKey(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.revokeServerKey(try call.parameter("id"), of: try call.context())
        return .done
    }
}
