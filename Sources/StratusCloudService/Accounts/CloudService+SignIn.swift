import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What the sign-in page shows and does, by its sealed state.
public struct SignInRequest: Hashable, Sendable {
    /// The container and environment to sign in to.
    public var context: CloudContext
    /// Where the browser goes afterwards; nil posts a message to the window that opened the page.
    public var callback: String?
    /// Origins that may receive the message; empty allows any.
    public var allowedOrigins: [String]
}

/// What a sign-in gives the client.
public struct SignIn: Hashable, Sendable {
    /// The token for the client.
    public var webAuthToken: String
    /// The name of the person in this container and environment.
    public var userRecordName: String
}

extension CloudService {
    /// The state that a sign-in page carries in its address, valid for ``ServiceLimits/signInLifetime``.
    func signInState(for tokenHash: [UInt8], _ context: CloudContext) -> String {
        var writer = ByteWriter()
        context.write(to: &writer)
        writer.write(bytes: tokenHash)
        writer.write(signed: environment.now() + ServiceLimits.signInLifetime)
        return Hex.encode(seals.seal(writer.bytes, for: .signIn, boundTo: []))
    }

    /// What a sign-in page is for.
    /// - Throws: `badRequest` when the state is damaged, expired, or its API token was revoked.
    public func signInRequest(state: String) async throws(CloudError) -> SignInRequest {
        let expired = CloudError(.badRequest, "this sign-in page has expired; close it and sign in again")
        guard state.utf8.count <= 2_048, let sealed = Hex.decode(state),
            let payload = seals.open(sealed, for: .signIn, boundTo: [])
        else { throw expired }
        do {
            let (context, hash, expires) = try ByteReader.read(payload) { reader in
                (try CloudContext(from: &reader), Array(try reader.slice()), try reader.signed())
            }
            guard expires > environment.now(), let token = try await directory.apiToken(hash: hash),
                token.context == context
            else { throw expired }
            return SignInRequest(
                context: context, callback: token.signInCallback, allowedOrigins: token.allowedOrigins)
        } catch {
            throw cloudError(from: error)
        }
    }

    /// Signs a person in with a password.
    ///
    /// - Parameters:
    ///   - isDiscoverable: whether the person may be found in this context from now on; nil leaves that as it is.
    ///   - source: the network address of the attempt, for limiting guesses; nil for the operator.
    ///   - agent: what the client calls itself, for the person's list of sessions.
    /// - Throws: `authenticationFailed`, in the same words and after the same work whether the account or the password
    ///   is wrong; `throttled` after ``ServiceLimits/failedSignIns`` failures, or when too many passwords wait.
    public func signIn(
        email: String, password: String, staySignedIn: Bool, isDiscoverable: Bool? = nil, context: CloudContext,
        source: String?, agent: String? = nil
    ) async throws(CloudError) -> SignIn {
        let account = try await provenAccount(email: email, password: password, source: source)
        do {
            let signIn = try await makeSession(
                for: account, .browser(stays: staySignedIn), context: context, agent: agent)
            if let isDiscoverable {
                try await setDiscoverable(isDiscoverable, account, named: signIn.userRecordName, in: context)
            }
            return signIn
        } catch {
            throw cloudError(from: error)
        }
    }

    /// A session for an account without its password, for the operator's scripts.
    public func createSession(email: String, context: CloudContext) async throws(CloudError) -> SignIn {
        do {
            guard try await directory.hasContainer(context.container) else {
                throw CloudError(.notFound, "container '\(context.container)' does not exist")
            }
            guard let account = try await account(email: EmailAddress.normalized(email)) else {
                throw CloudError(.notFound, "no account has the e-mail address '\(email)'")
            }
            return try await makeSession(
                for: account, .browser(stays: true), context: context, agent: "stratus session create")
        } catch {
            throw cloudError(from: error)
        }
    }

    /// What is signed in, which says for how long.
    enum SessionKind {
        case browser(stays: Bool)
        case device

        /// Milliseconds until the session ends, and that a token of it is valid.
        fileprivate var lifetimes: (session: Int64, token: Int64) {
            switch self {
            case .browser(let stays):
                (
                    ServiceLimits.longSessionLifetime,
                    stays ? ServiceLimits.longSessionLifetime : ServiceLimits.sessionLifetime
                )
            case .device: (ServiceLimits.deviceSessionLifetime, ServiceLimits.deviceTokenLifetime)
            }
        }
    }

    func makeSession(
        for account: Account, _ kind: SessionKind, context: CloudContext, agent: String?
    ) async throws -> SignIn {
        let userRecordName = try await userRecordName(of: account, in: context)
        let now = environment.now()
        let id = environment.random.bytes(WebAuthToken.sessionIDLength)
        let session = Session(
            accountID: account.id, context: context, userRecordName: userRecordName, created: now,
            expires: now + kind.lifetimes.session, tokenLifetime: kind.lifetimes.token,
            accountEpoch: account.sessionEpoch)
        try await store.write(.directory) { transaction in
            try Self.store(session, SHA256.hash(id), agent: agent, at: now, in: transaction)
        }
        return SignIn(webAuthToken: renewedToken(of: session, id: id), userRecordName: userRecordName)
    }

    func account(email: String) async throws -> Account? {
        try await store.read(.directory) { transaction in
            guard let id = try transaction.get(DirectoryKey.account(email: email)) else { return nil }
            return try transaction.value(at: DirectoryKey.account(id: String(decoding: id, as: UTF8.self)))
        }
    }
}

/// E-mail addresses as accounts compare them.
enum EmailAddress {
    /// Lower case, without surrounding white space.
    static func normalized(_ text: String) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }
        return end.map { trimmed[...$0].lowercased() } ?? ""
    }

    /// Whether this can be an address: something, an at sign, something, no spaces or control characters.
    static func isPlausible(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.utf8.count <= ServiceLimits.emailLength
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }
}
