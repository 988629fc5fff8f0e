import StratusCloudCrypto
import StratusCloudModel

extension CloudService {
    /// Finds out who sends a request to a container.
    ///
    /// - Throws: `authenticationFailed` for wrong, foreign, mixed or missing credentials, always in the same words;
    ///   `accessDenied` for an origin that the token does not allow; `throttled` for an address, token or user whose
    ///   requests come more quickly than ``RequestRates`` say; `notFound` never: whether a container exists is
    ///   told to nobody without a credential for it.
    ///
    /// A web auth token that is void does not fail the request: the caller is anonymous then, and whatever needs a
    /// user answers `authenticationRequired`, which lets clients show their sign-in button.
    public func authenticate(
        _ credentials: Credentials, for context: CloudContext
    ) async throws(CloudError) -> Authentication {
        let now = environment.now()
        var payers: [Throttle.Subject] = []
        func pay(_ subject: Throttle.Subject) throws(CloudError) {
            if try throttle.admit(subject, at: now) { payers.append(subject) }
        }
        if let source = credentials.source { try pay(.address(source)) }
        var authentication = try await prove(credentials, for: context)
        if let token = credentials.tokens.apiToken ?? credentials.signature?.keyID { try pay(.token(token)) }
        if case .user(let name) = authentication.caller.principal { try pay(.user(context, name)) }
        authentication.caller.payers = payers
        return authentication
    }

    /// Counts a request that brings no credentials, such as for a page, to its address.
    /// - Throws: `throttled` if those come more quickly than ``RequestRates`` say.
    public func admit(from source: String) throws(CloudError) {
        _ = try throttle.admit(.address(source), at: environment.now())
    }

    /// Checks what a request's head says of its sender, before its body is there: the tokens, or whether there is such a
    /// key as the one that signed. ``authenticate(_:for:)`` is still to be asked; this counts nothing.
    /// - Throws: `authenticationFailed`, or `accessDenied` for an origin that the token does not allow.
    public func checkSender(of credentials: Credentials, for context: CloudContext) async throws(CloudError) {
        if let signature = credentials.signature, credentials.tokens.apiToken == nil {
            _ = try await key(of: signature, context)
        } else {
            _ = try await prove(credentials, for: context)
        }
    }

    private func prove(
        _ credentials: Credentials, for context: CloudContext
    ) async throws(CloudError) -> Authentication {
        switch (credentials.tokens.apiToken, credentials.signature) {
        case (let token?, nil):
            return try await authenticate(apiToken: token, credentials, context)
        case (nil, let signature?) where credentials.tokens.webAuthToken == nil:
            return Authentication(caller: try await authenticate(signature, context))
        default:
            throw Self.authenticationFailed
        }
    }

    static let authenticationFailed = CloudError(.authenticationFailed, "Authentication failed")

    private func authenticate(
        apiToken text: String, _ credentials: Credentials, _ context: CloudContext
    ) async throws(CloudError) -> Authentication {
        let tokens = credentials.tokens
        let now = environment.now()
        let (known, generation) = directory.proof(of: tokens, at: now)
        let proof: Directory.Proof
        if let known {
            proof = known
        } else {
            proof = try await prove(apiToken: text, tokens.provenWebAuthToken, now)
            directory.remember(proof, of: tokens, generation: generation)
        }
        guard proof.authentication.caller.context == context else { throw Self.authenticationFailed }
        if let origin = credentials.origin, !proof.allowedOrigins.isEmpty, !proof.allowedOrigins.contains(origin) {
            throw CloudError(.accessDenied, "this API token may not be used from origin '\(origin)'")
        }
        var authentication = proof.authentication
        authentication.renewedWebAuthToken = authentication.renewedWebAuthToken.map { renewed in
            WebAuthToken.numbered(renewed, answerNumber.add(1, ordering: .relaxed).newValue)
        }
        return authentication
    }

    private func prove(
        apiToken text: String, _ webAuthToken: String, _ now: Int64
    ) async throws(CloudError) -> Directory.Proof {
        guard let bytes = Hex.decode(text), bytes.count == 32 else { throw Self.authenticationFailed }
        let hash = SHA256.hash(bytes)
        guard let token = try await found({ try await self.directory.apiToken(hash: hash) }) else {
            throw Self.authenticationFailed
        }
        let context = token.context
        func caller(_ principal: Caller.Principal) -> Caller {
            var caller = Caller(context: context, principal: principal)
            caller.apiToken = hash
            return caller
        }
        func proof(_ authentication: Authentication, until expires: Int64 = .max) -> Directory.Proof {
            Directory.Proof(
                authentication: authentication, allowedOrigins: token.allowedOrigins,
                expires: min(now + ServiceLimits.proofLifetime, expires))
        }
        guard let live = try await liveSession(of: webAuthToken, now) else {
            var anybody = Authentication(caller: caller(.anonymous))
            anybody.signInState = signInState(for: hash, context)
            return proof(anybody)
        }
        // A token of another container or environment is not an expired one: it was never good here.
        guard live.session.context == context else { throw Self.authenticationFailed }
        var user = caller(.user(live.session.userRecordName))
        user.session = SHA256.hash(live.token.sessionID)
        let renewed = renewedToken(of: live.session, id: live.token.sessionID)
        return proof(
            Authentication(caller: user, renewedWebAuthToken: renewed),
            until: min(live.token.expires, live.session.expires))
    }

    /// The session behind a web auth token, if both are valid now.
    private func liveSession(
        of text: String, _ now: Int64
    ) async throws(CloudError) -> (session: Session, token: WebAuthToken)? {
        guard let token = WebAuthToken(text, seals) else { return nil }
        let hash = SHA256.hash(token.sessionID)
        guard token.expires > now, let entry = try await found({ try await self.directory.session(hash: hash) }),
            entry.isLive(at: now)
        else { return nil }
        await noteUse(of: hash)
        return (entry.session, token)
    }

    /// A fresh token of a session; never valid longer than the session.
    func renewedToken(of session: Session, id: [UInt8]) -> String {
        let expires = min(session.expires, environment.now() + session.tokenLifetime)
        return WebAuthToken(sessionID: id, expires: expires).text(seals, environment.random)
    }

    private func authenticate(
        _ signature: RequestSignature, _ context: CloudContext
    ) async throws(CloudError) -> Caller {
        guard let der = Base64.decode(signature.signature), let numbers = try? ECDSASignature(der: der),
            case let (key, date) = try await self.key(of: signature, context),
            let publicKey = try? P256PublicKey(pem: key.publicKeyPEM),
            let message = signature.messages.first(where: { publicKey.verify(signature: der, of: $0) })
        else { throw Self.authenticationFailed }
        if signature.isMutating {
            // The same r means the same signature, also in its other form (r, n - s).
            let mark = SHA256.hash(Array(signature.keyID.utf8) + numbers.r + message)
            try await checkRestart(signature.keyID, date)
            guard signatures.isFirst(mark, at: environment.now()) else { throw Self.authenticationFailed }
        }
        return Caller(context: context, principal: .serverToServer(key.userRecordName))
    }

    /// The key that a signature names, and its date, if that is close enough to now.
    private func key(
        of signature: RequestSignature, _ context: CloudContext
    ) async throws(CloudError) -> (ServerKey, date: Int64) {
        guard let date = ISO8601Date.milliseconds(signature.date),
            abs(date - environment.now()) <= ServiceLimits.signatureWindow,
            signature.keyID.utf8.count <= ServiceLimits.labelLength,
            let key = try await found({ try await self.directory.serverKey(id: signature.keyID) }),
            key.context == context
        else { throw Self.authenticationFailed }
        return (key, date)
    }

    /// Looks something up in the directory, failures of the engine mapped.
    private func found<Value: Sendable>(
        _ lookUp: @Sendable () async throws -> Value?
    ) async throws(CloudError) -> Value? {
        do {
            return try await lookUp()
        } catch {
            throw cloudError(from: error)
        }
    }
}

extension RequestSignature {
    /// All messages that a client may have signed, in the order to try: they differ in the path, and in how an empty
    /// body is written.
    var messages: [[UInt8]] {
        var bodies = [Base64.string(SHA256.hash(body))]
        if body.isEmpty { bodies.append("") }
        return subpaths.flatMap { path in
            bodies.map { Array("\(date):\($0):\(path)".utf8) }
        }
    }
}
