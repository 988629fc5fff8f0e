import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// How people who forgot their password get another one: with a link that is mailed to them, or by the operator.
extension CloudService {
    /// Mails somebody a link with which they choose a new password. Whether there is an account is looked up only when the
    /// mail is written, so neither the answer nor its time depends on it.
    /// - Parameter source: the network address of the request.
    /// - Throws: `badRequest` for an address that no mail can be sent to, `accessDenied` where no mail is sent, `throttled` for
    ///   more mail than a network may cause, or an address get, in a day.
    public func requestPasswordReset(email: String, source: String) async throws(CloudError) {
        guard let channel = mail.channel else {
            throw CloudError(.accessDenied, "this server sends no e-mail; ask its operator for a new password")
        }
        let email = EmailAddress.normalized(email)
        guard EmailAddress.isPlausible(email), channel.takes(email) else {
            throw CloudError(.badRequest, "no e-mail can be sent to this address")
        }
        try await queue(
            [StoredMail(.passwordReset, to: email, queued: environment.now())],
            for: "password reset from network \(source)", limit: MailLimits.resetsPerNetworkAddressAndDay,
            perAddress: MailLimits.resetsPerAddressAndDay)
    }

    /// Returns the address of the account that a mailed link is for.
    /// - Parameter source: the network address of the request, for limiting guesses.
    /// - Throws: `badRequest` for a link that was used, is incomplete, or is older than ``MailLimits/resetLifetime``;
    ///   `throttled` for too many of those.
    public func passwordResetEmail(ticket: String, source: String?) async throws(CloudError) -> String {
        try await openReset(ticket, source).email
    }

    /// Gives the account of a mailed link another password. All its sessions end, and so does every such link.
    /// - Throws: as ``passwordResetEmail(ticket:source:)``; `badRequest` for a password outside the limits.
    public func resetPassword(ticket: String, to new: String, source: String) async throws(CloudError) {
        try Password.check(new)
        let account = try await openReset(ticket, source)
        _ = try await setPassword(new, of: account)
        // Who reads the account's mail is its owner: guesses of strangers keep them out no longer.
        signInAttempts.clear(.account(account.email))
        await noteSignIn(of: account.id, from: source)
    }

    /// Gives an account another password, without the current one. All its sessions end. For the operator.
    /// - Throws: `notFound` if there is no such account, `badRequest` for a password outside the limits.
    public func setPassword(email: String, password: String) async throws(CloudError) {
        let email = EmailAddress.normalized(email)
        let found: Account?
        do {
            found = try await account(email: email)
        } catch {
            throw cloudError(from: error)
        }
        guard let found else { throw CloudError(.notFound, "no account has the e-mail address '\(email.prefix(64))'") }
        _ = try await setPassword(password, of: found)
        signInAttempts.clear(.account(email))
    }

    /// Gives an account another password, ends all its sessions and mails its owner that this happened.
    /// - Throws: `badRequest` for a password outside the limits; `authenticationFailed` if the password was changed since the
    ///   account was read.
    func setPassword(_ new: String, of account: Account) async throws(CloudError) -> Account {
        try Password.check(new)
        let changed: Account
        do {
            let hash = try await passwords.hash(new)
            changed = try await renew(account) { $0.passwordHash = hash }
        } catch {
            throw Self.signInError(error) ?? cloudError(from: error)
        }
        await mailNotice(of: changed)
        return changed
    }

    // MARK: - Mail

    /// What a mail with a link says; nil if there is nobody to send one to.
    func passwordResetLetter(_ letter: StoredMail) async throws(CloudError) -> MailedPasswordReset? {
        let id = try letter.id()
        let expires = letter.queued + MailLimits.resetLifetime
        let now = environment.now()
        guard expires > now else { return nil }
        // The same each time that the mail is tried, so the link of a mail that arrives twice is one link.
        let secret = seals.secret(for: .passwordReset, boundTo: Array(id.utf8))
        let reset = try await writing(.directory) { transaction -> AccountSessionID? in
            guard let accountID = try transaction.get(DirectoryKey.account(email: letter.address)),
                let account: Account = try transaction.value(
                    at: DirectoryKey.account(id: String(decoding: accountID, as: UTF8.self))), account.testOf == nil
            else { return nil }
            for entry in try transaction.entries(in: DirectoryKey.passwordResets(of: account.id), limit: .max)
            where try PasswordReset(stored: entry.value).expires <= now {
                transaction.clear(entry.key)
            }
            let reset = AccountSessionID(accountID: account.id, secret: secret)
            // One that was used stays void.
            if try transaction.get(reset.passwordResetKey) == nil {
                transaction.set(
                    reset.passwordResetKey, PasswordReset(expires: expires, accountEpoch: account.sessionEpoch))
            }
            return reset
        }
        return reset.map {
            MailedPasswordReset(id: id, address: letter.address, queued: letter.queued, ticket: $0.text)
        }
    }

    /// What a mail about a new password says; nil if the account is gone.
    func passwordNoticeLetter(_ letter: StoredMail) async throws(CloudError) -> MailedPasswordNotice? {
        let id = try letter.id()
        let isKnown = try await reading(.directory) {
            try $0.get(DirectoryKey.account(email: letter.address)) != nil
        }
        return isKnown ? MailedPasswordNotice(id: id, address: letter.address, queued: letter.queued) : nil
    }

    /// Queues the mail about a new password. The password is changed already, so a failure is only reported.
    private func mailNotice(of account: Account) async {
        guard let channel = mail.channel, account.testOf == nil, channel.takes(account.email) else { return }
        do throws(CloudError) {
            try await queue([StoredMail(.passwordNotice, to: account.email, queued: environment.now())])
        } catch {
            environment.report(error)
        }
    }

    // MARK: - Links

    private func openReset(_ ticket: String, _ source: String?) async throws(CloudError) -> Account {
        let now = environment.now()
        var open: Account?
        do {
            try await checked(source.map { [.address($0)] } ?? []) {
                guard let id = AccountSessionID(ticket) else { return false }
                open = try await self.store.read(.directory) { transaction in
                    guard let reset: PasswordReset = try transaction.value(at: id.passwordResetKey),
                        let account: Account = try transaction.value(at: DirectoryKey.account(id: id.accountID)),
                        reset.expires > now, reset.accountEpoch == account.sessionEpoch
                    else { return nil }
                    return account
                }
                return open != nil
            }
        } catch is WrongGuess {
            throw Self.noReset
        } catch {
            throw cloudError(from: error)
        }
        guard let open else { throw Self.noReset }
        return open
    }

    private static let noReset = CloudError(
        .badRequest, "this link has been used, has expired or is incomplete; ask for a new one")
}
