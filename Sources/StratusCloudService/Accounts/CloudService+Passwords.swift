import StratusCloudCrypto
import StratusCloudModel

extension CloudService {
    /// The account that an address and a password belong to.
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
    /// For whoever is signed in already.
    static let currentPasswordIsWrong = "the current password is wrong"

    /// Whom a password belongs to.
    /// - Parameters:
    ///   - subject: whose password is tried.
    ///   - refusal: what is said of a password that is not theirs.
    ///   - find: finds the one whose it would be.
    /// - Throws: as ``provenAccount(email:password:source:refusal:)``.
    func proven<Holder: PasswordHolder>(
        _ subject: SignInAttempts.Subject, password: String, source: String?, refusal: String = emailOrPasswordIsWrong,
        find: () async throws -> Holder?
    ) async throws(CloudError) -> Holder {
        let subjects = [subject] + (source.map { [.address($0)] } ?? [])
        try checkAttempts(subjects)
        do {
            let holder = try await find()
            let matches = try await verify(password, holder)
            guard let holder, matches else {
                for subject in subjects { signInAttempts.failed(subject, at: environment.now()) }
                throw CloudError(.authenticationFailed, refusal)
            }
            for subject in subjects { signInAttempts.succeeded(subject) }
            return holder
        } catch {
            throw Self.signInError(error) ?? cloudError(from: error)
        }
    }

    /// - Throws: `throttled` for whoever failed too often.
    func checkAttempts(_ subjects: [SignInAttempts.Subject]) throws(CloudError) {
        for subject in subjects {
            if let seconds = signInAttempts.wait(for: subject, at: environment.now()) {
                throw CloudError(.throttled, "too many failed sign-ins; try again later", retryAfter: seconds)
            }
        }
    }

    /// What those are told who have to wait for others' passwords; nil for other errors.
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

/// Whoever a password opens something for.
protocol PasswordHolder: Sendable {
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
