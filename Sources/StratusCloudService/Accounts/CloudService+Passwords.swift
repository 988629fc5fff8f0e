import StratusCloudCrypto
import StratusCloudModel

extension CloudService {
    /// Returns the account that an address and a password belong to.
    /// - Parameter source: the network address of the attempt, for limiting guesses; nil for the operator.
    /// - Throws: `authenticationFailed`, in the same words and after the same work whether the account or the password
    ///   is wrong; `throttled` after ``ServiceLimits/failedSignIns`` failures, or when too many passwords wait.
    func provenAccount(
        email: String, password: String, source: String?, refusal: String = emailOrPasswordIsWrong
    ) async throws(CloudError) -> Account {
        let email = EmailAddress.normalized(email)
        return try await proven(
            .account(email), password: password, source: source, refusal: refusal,
            find: { try await self.account(email: email) })
    }

    /// Tells strangers nothing about which addresses have an account.
    static let emailOrPasswordIsWrong = "e-mail address or password is wrong"
    /// For people who are signed in already.
    static let currentPasswordIsWrong = "the current password is wrong"

    /// Returns the account or developer that a password belongs to.
    /// - Parameters:
    ///   - subject: counts the failures from networks that the account or developer has not signed in from before.
    ///   - refusal: the reason given for a wrong password.
    ///   - find: finds the account or developer.
    /// - Throws: as ``provenAccount(email:password:source:refusal:)``.
    func proven<Holder: PasswordHolder>(
        _ subject: SignInAttempts.Subject, password: String, source: String?, refusal: String = emailOrPasswordIsWrong,
        find: () async throws -> Holder?
    ) async throws(CloudError) -> Holder {
        do {
            let holder = try await find()
            var (subject, lastSignIn) = (subject, Int64?.none)
            if let source {
                // Reads as much for an unknown name.
                lastSignIn = try await self.lastSignIn(of: holder?.id ?? "", from: source)
                if let holder, lastSignIn != nil { subject = .knownNetwork(source, of: holder.id) }
            }
            try await checked([subject] + (source.map { [.address($0)] } ?? [])) {
                try await self.verify(password, holder)
            }
            guard let holder else { throw CloudError(.authenticationFailed, refusal) }
            // Only the count of this account: that of the address is about its guesses at others, too.
            signInAttempts.clear(subject)
            if let source, environment.now() - (lastSignIn ?? .min / 2) >= ServiceLimits.knownNetworkPause {
                await noteSignIn(of: holder.id, from: source)
            }
            return holder
        } catch is WrongGuess {
            throw CloudError(.authenticationFailed, refusal)
        } catch {
            throw Self.signInError(error) ?? cloudError(from: error)
        }
    }

    /// Lets a check of a secret happen that may be guessed, and counts it if it is wrong.
    /// - Throws: `throttled` for subjects that failed too often; ``WrongGuess``; what `check` throws, which is no guess.
    func checked(
        _ subjects: [SignInAttempts.Subject], _ check: () async throws -> Bool
    ) async throws {
        try signInAttempts.admit(subjects, at: environment.now())
        let isRight: Bool
        do {
            isRight = try await check()
        } catch {
            signInAttempts.end(subjects, failed: false, at: environment.now())
            throw error
        }
        signInAttempts.end(subjects, failed: !isRight, at: environment.now())
        if !isRight { throw WrongGuess() }
    }

    /// A secret that was not the right one.
    struct WrongGuess: Error {}

    /// The refusal of a sign-in while too many others are being checked; nil for other errors.
    static func signInError(_ error: any Error) -> CloudError? {
        guard let error = error as? CryptoError, error.code == .busy else { return nil }
        return CloudError(.throttled, "too many sign-ins at once; try again", retryAfter: 2)
    }

    private func verify(_ password: String, _ holder: (some PasswordHolder)?) async throws -> Bool {
        guard password.utf8.count <= ServiceLimits.passwordMaximum else { return false }
        guard let holder else { return try await passwords.dummyVerify(password) }
        return try await passwords.verify(password, hash: holder.passwordHash)
    }
}

/// An account or a developer, who signs in with a password.
protocol PasswordHolder: Sendable {
    /// Never reused.
    var id: String { get }
    /// argon2id, with its parameters.
    var passwordHash: String { get }
}

/// What passwords may be.
enum Password {
    static func check(_ password: String) throws(CloudError) {
        guard password.count >= ServiceLimits.passwordMinimum else {
            throw CloudError(
                .badRequest, "the password must have at least \(ServiceLimits.passwordMinimum) characters")
        }
        guard password.utf8.count <= ServiceLimits.passwordMaximum else {
            throw CloudError(.badRequest, "the password must have at most \(ServiceLimits.passwordMaximum) bytes")
        }
    }
}
