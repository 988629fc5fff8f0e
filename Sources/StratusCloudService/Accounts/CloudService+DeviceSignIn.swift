import StratusCloudCrypto
import StratusCloudModel

extension CloudService {
    /// Proves a person on the sign-in page, for a program that asked in a ``DeviceSignIn``.
    /// - Returns: the code for the program, good for ``ServiceLimits/deviceCodeLifetime``.
    /// - Throws: as ``signIn(email:password:staySignedIn:isDiscoverable:context:source:)``.
    public func deviceCode(
        email: String, password: String, isDiscoverable: Bool?, for device: DeviceSignIn, context: CloudContext,
        source: String?
    ) async throws(CloudError) -> String {
        let account = try await provenAccount(email: email, password: password, source: source)
        do {
            if let isDiscoverable {
                let name = try await userRecordName(of: account, in: context)
                try await setDiscoverable(isDiscoverable, account, named: name, in: context)
            }
        } catch {
            throw cloudError(from: error)
        }
        return DeviceCode(
            context: context, accountID: account.id, accountEpoch: account.sessionEpoch, challenge: device.challenge,
            expires: environment.now() + ServiceLimits.deviceCodeLifetime
        ).text(seals)
    }

    /// Signs a device in with a code that its user brought from the sign-in page.
    /// - Parameters:
    ///   - secret: the text of which the challenge is the SHA-256.
    ///   - agent: what the program calls itself, for the person's list of sessions.
    /// - Throws: `authenticationFailed` for a code that is forged, expired, another program's, or older than the account's
    ///   latest change of password.
    public func signInDevice(code: String, secret: String, agent: String? = nil) async throws(CloudError) -> SignIn {
        let refusal = CloudError(.authenticationFailed, "the code is not valid or has expired; sign in again")
        guard let code = DeviceCode.read(code, seals), code.expires > environment.now(),
            constantTimeEqual(
                Array(Hex.encode(SHA256.hash(Array(secret.utf8))).utf8), Array(code.challenge.utf8))
        else { throw refusal }
        let account: Account? = try await reading(.directory) {
            try $0.value(at: DirectoryKey.account(id: code.accountID))
        }
        guard let account, account.sessionEpoch == code.accountEpoch else { throw refusal }
        return try await deviceSession(for: account, code.context, agent)
    }

    /// Signs a device in with a password that its user typed there.
    /// - Throws: as ``signIn(email:password:staySignedIn:isDiscoverable:context:source:)``.
    public func signInDevice(
        email: String, password: String, context: CloudContext, source: String?, agent: String? = nil
    ) async throws(CloudError) -> SignIn {
        try await deviceSession(
            for: try await provenAccount(email: email, password: password, source: source), context, agent)
    }

    /// Ends the session of a web auth token. All tokens of the session are void from then on, and the streams and polls that
    /// wait for notifications of devices registered with it end. Does nothing for a token that is void already.
    public func endSession(webAuthToken: String) async throws(CloudError) {
        guard let token = WebAuthToken(webAuthToken, seals) else { return }
        let hash = SHA256.hash(token.sessionID)
        do {
            _ = try await directory.change { try Self.clearSession(hash, in: $0) }
        } catch {
            throw cloudError(from: error)
        }
        push.hub.dismiss { $0.session == hash }
    }

    /// A session of its own for a page or program that speaks the web services, in the name of a caller who is signed in.
    /// - Parameter apiToken: the one that it will be used with.
    /// - Throws: `authenticationRequired` if nobody is signed in, `accessDenied` for server-to-server keys; `authenticationFailed` for an API token that is not of
    ///   the caller's container and environment.
    public func webAuthToken(forAPIToken apiToken: String, as caller: Caller) async throws(CloudError) -> String {
        let name = try Authorization.person(caller)
        guard let bytes = Hex.decode(apiToken), bytes.count == 32 else { throw Self.authenticationFailed }
        do {
            guard let token = try await directory.apiToken(hash: SHA256.hash(bytes)), token.context == caller.context
            else { throw Self.authenticationFailed }
            let account: Account? = try await store.read(.directory) { transaction in
                let key = DirectoryKey.account(ofUser: name, in: caller.context)
                guard let id = try transaction.get(key) else { return nil }
                return try transaction.value(at: DirectoryKey.account(id: String(decoding: id, as: UTF8.self)))
            }
            guard let account else { throw CloudError(.authenticationRequired, "request needs authorization") }
            return try await makeSession(
                for: account, .browser(stays: true), context: caller.context, agent: nil
            ).webAuthToken
        } catch {
            throw cloudError(from: error)
        }
    }

    private func deviceSession(
        for account: Account, _ context: CloudContext, _ agent: String?
    ) async throws(CloudError) -> SignIn {
        do {
            return try await makeSession(for: account, .device, context: context, agent: agent)
        } catch {
            throw cloudError(from: error)
        }
    }
}
