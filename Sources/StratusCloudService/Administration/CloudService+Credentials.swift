import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// An API token or a server-to-server key, as the operator sees it.
public struct CredentialSummary: Hashable, Sendable {
    /// Names it for ``CloudService/revokeAPIToken(_:of:)`` and ``CloudService/revokeServerKey(_:of:)``: for a token the
    /// first digits of its hash, which are no secret, for a key its identifier.
    public var id: String
    /// What the operator calls it.
    public var name: String
    /// Milliseconds since 1970-01-01 UTC.
    public var created: Int64
    /// Where the browser goes after signing in; nil for keys, and for tokens that post a message instead.
    public var signInCallback: String?
    /// Origins that browsers may use a token from; empty allows any.
    public var allowedOrigins: [String] = []
    /// Under which name a key's records are saved; nil for tokens.
    public var userRecordName: String?
}

extension CloudService {
    /// The API tokens of a context, the oldest first.
    /// - Throws: `notFound` if there is no such container.
    public func listAPITokens(of context: CloudContext) async throws(CloudError) -> [CredentialSummary] {
        try await checkContainer(context)
        return try await reading(.directory) { try Self.tokens(of: context, in: $0).map(\.summary) }
            .sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// Revokes an API token: no request that comes after this returns is answered with it, and whoever waits for
    /// notifications with it is sent away.
    /// - Parameter word: The identifier of ``listAPITokens(of:)``, or the token itself.
    /// - Throws: `notFound` if the context has no such token.
    public func revokeAPIToken(_ word: String, of context: CloudContext) async throws(CloudError) {
        try await checkContainer(context)
        let hash = Hex.decode(word).flatMap { $0.count == 32 ? SHA256.hash($0) : nil }
        let revoked = try await changingDirectory { transaction -> [UInt8]? in
            let tokens = try Self.tokens(of: context, in: transaction)
            guard let token = tokens.first(where: { $0.hash == hash || $0.summary.id == word }) else { return nil }
            transaction.clear(DirectoryKey.token(token.hash))
            return token.hash
        }
        guard let revoked else { throw CloudError(.notFound, "there is no such API token in this environment") }
        push.hub.dismiss { $0.apiToken == revoked }
    }

    /// Says from which origins browsers may use an API token. It holds when this returns.
    /// - Parameter id: as ``listAPITokens(of:)`` names it.
    /// - Throws: `notFound` if the context has no such token, `badRequest` for an origin that is none.
    public func setOrigins(
        _ origins: [String], ofAPIToken id: String, of context: CloudContext
    ) async throws(CloudError) {
        try checkOrigins(origins)
        try await checkContainer(context)
        let isChanged = try await changingDirectory { transaction in
            guard var found = try Self.tokens(of: context, in: transaction).first(where: { $0.summary.id == id }) else {
                return false
            }
            found.token.allowedOrigins = origins
            transaction.set(DirectoryKey.token(found.hash), found.token)
            return true
        }
        guard isChanged else { throw CloudError(.notFound, "there is no such API token in this environment") }
    }

    /// What ``listAPITokens(of:)`` calls a token; nil for what is none.
    public static func tokenID(of token: String) -> String? {
        Hex.decode(token).map { tokenID(hash: SHA256.hash($0)) }
    }

    private static func tokenID(hash: [UInt8]) -> String {
        Hex.encode(Array(hash.prefix(ServiceLimits.tokenIDLength)))
    }

    /// The server-to-server keys of a context, the oldest first.
    /// - Throws: `notFound` if there is no such container.
    public func listServerKeys(of context: CloudContext) async throws(CloudError) -> [CredentialSummary] {
        try await checkContainer(context)
        return try await reading(.directory) { transaction in
            try Self.entries(ServerKey.self, in: DirectoryKey.serverKeys, transaction).compactMap { key, value in
                guard value.context == context, let id = DirectoryKey.serverKeyID(key) else { return nil }
                return CredentialSummary(
                    id: id, name: value.name, created: value.created, userRecordName: value.userRecordName)
            }
        }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// Revokes a server-to-server key: no request that comes after this returns is answered with it.
    /// - Throws: `notFound` if the context has no such key.
    public func revokeServerKey(_ id: String, of context: CloudContext) async throws(CloudError) {
        try await checkContainer(context)
        let isRevoked = try await changingDirectory { transaction in
            let key = DirectoryKey.serverKey(id)
            guard let known: ServerKey = try transaction.value(at: key), known.context == context else { return false }
            transaction.clear(key)
            transaction.clear(DirectoryKey.signatureDate(ofKey: id))
            return true
        }
        guard isRevoked else { throw CloudError(.notFound, "there is no such key in this environment") }
    }

    /// An API token with its hash.
    private struct HashedToken {
        let hash: [UInt8]
        var token: APIToken

        var summary: CredentialSummary {
            CredentialSummary(
                id: CloudService.tokenID(hash: hash), name: token.name,
                created: token.created, signInCallback: token.signInCallback, allowedOrigins: token.allowedOrigins)
        }
    }

    private static func tokens(
        of context: CloudContext, in transaction: any ReadTransaction
    ) throws -> [HashedToken] {
        try entries(APIToken.self, in: DirectoryKey.tokens, transaction).compactMap { key, token in
            token.context == context ? HashedToken(hash: Array(key.bytes.dropFirst()), token: token) : nil
        }
    }

    private static func entries<Value: StoredValue>(
        _ type: Value.Type, in range: KeyRange, _ transaction: any ReadTransaction
    ) throws -> [(Key, Value)] {
        try transaction.entries(in: range, limit: .max).map { ($0.key, try Value(stored: $0.value)) }
    }

    private func changingDirectory<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws(CloudError) -> Result {
        do {
            return try await directory.change(body)
        } catch {
            throw cloudError(from: error)
        }
    }
}
