import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// How people make accounts by themselves, with a link that is mailed to them.
extension CloudService {
    /// Whether people may make accounts: on the pages of share links, or everywhere.
    public var signUpPolicy: SignUpPolicy { sendsMail ? configuration.signUp : .closed }

    /// Mails somebody a link with which they make an account. Says nothing about whether there is one already: then the
    /// mail says so; and where only the invited may, others get none.
    /// - Parameters:
    ///   - shortGUID: of the share link that they came by.
    ///   - source: the network address of the attempt.
    /// - Throws: `badRequest` for an address that no mail can be sent to, `accessDenied` where nobody may, `throttled` for
    ///   more mail than an address may cause or get in a day.
    public func requestSignUp(
        email: String, shortGUID: String?, source: String
    ) async throws(CloudError) {
        guard let channel = mail.channel, configuration.signUp != .closed else {
            throw CloudError(.accessDenied, "only the operator of this server creates accounts")
        }
        let email = EmailAddress.normalized(email)
        guard EmailAddress.isPlausible(email), channel.takes(email) else {
            throw CloudError(.badRequest, "no e-mail can be sent to this address")
        }
        let guid = shortGUID.flatMap { $0.utf8.count <= ShareLimits.shortGUIDLength ? $0 : nil }
        try await queue(
            [StoredMail(.signUp(shortGUID: guid), to: email, queued: environment.now())],
            for: "network \(source)", limit: MailLimits.signUpsPerNetworkAddressAndDay)
    }

    /// What a mailed link says.
    /// - Throws: `badRequest` when it is damaged or older than ``MailLimits/signUpLifetime``.
    public func signUpTicket(_ text: String) throws(CloudError) -> SignUpTicket {
        let expired = CloudError(.badRequest, "this link has expired or is incomplete; ask for a new one")
        guard text.utf8.count <= 2_048, let sealed = Hex.decode(text),
            let payload = seals.open(sealed, for: .signUp, boundTo: []),
            let (ticket, expires) = try? ByteReader.read(
                payload,
                { reader in
                    let ticket = SignUpTicket(
                        email: try reader.string(), shortGUID: try reader.optional { try $0.string() })
                    return (ticket, try reader.signed())
                }), expires > environment.now()
        else { throw expired }
        return ticket
    }

    /// Makes the account of a mailed link, and signs its person in.
    /// - Returns: what the browser has to keep, as ``beginAccountSession(email:password:source:)`` gives it.
    /// - Throws: as ``signUpTicket(_:)`` and ``createAccount(email:password:profile:)``; `exists` for a link that was used.
    public func signUp(
        ticket text: String, password: String, givenName: String, familyName: String, source: String,
        agent: String? = nil
    ) async throws(CloudError) -> String {
        let ticket = try signUpTicket(text)
        guard signUpPolicy != .closed else {
            throw CloudError(.accessDenied, "only the operator of this server creates accounts")
        }
        try await createAccount(
            email: ticket.email, password: password,
            profile: ProfileChange(givenName: givenName, familyName: familyName))
        return try await beginAccountSession(
            email: ticket.email, password: password, source: source, agent: agent)
    }

    /// What a mail to somebody new says; nil for who may not make an account.
    func signUpLetter(
        _ letter: StoredMail, shortGUID: String?
    ) async throws(CloudError) -> MailedSignUp? {
        let id = try letter.id()
        var result = MailedSignUp(id: id, address: letter.address, queued: letter.queued, shortGUID: shortGUID)
        let known = try await reading(.directory) { try $0.get(DirectoryKey.account(email: letter.address)) != nil }
        if known { return result }
        if configuration.signUp == .invited {
            guard let shortGUID, try await wouldLetIn(letter.address, by: shortGUID) else { return nil }
        }
        var writer = ByteWriter()
        writer.write(letter.address)
        writer.write(optional: shortGUID) { $0.write($1) }
        writer.write(signed: letter.queued + MailLimits.signUpLifetime)
        result.ticket = Hex.encode(seals.seal(writer.bytes, for: .signUp, boundTo: []))
        return result
    }

    /// Whether a share link lets in who will have an address.
    private func wouldLetIn(_ address: String, by shortGUID: String) async throws(CloudError) -> Bool {
        guard let zone = try await shareZone(shortGUID) else { return false }
        let visitor = ShareVisitor(
            user: Caller.nobodyRecordName,
            person: SharePerson(names: PersonNames(), handles: [.emailAddress(address)]), context: zone.context,
            now: environment.now())
        do throws(CloudError) {
            return try await reading(visitor.partition(of: zone)) { transaction in
                guard case .link = try visitor.visit(shortGUID, zone, in: transaction).standing else { return false }
                return true
            }
        } catch {
            guard error == ShareVisitor.notFound else { throw error }
            return false
        }
    }
}
