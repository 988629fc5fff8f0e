import CloudCrypto
import CloudModel

extension CloudService {
    /// The account that an address and a password belong to.
    /// - Parameter source: the network address of the attempt, for limiting guesses; nil for the operator.
    /// - Throws: `authenticationFailed`, in the same words and after the same work whether the account or the password
    ///   is wrong; `throttled` after ``ServiceLimits/failedSignIns`` failures, or when too many passwords wait.
    func provenAccount(email: String, password: String, source: String?) async throws(CloudError) -> Account {
        let email = EmailAddress.normalized(email)
        let names: [SignInAttempts.Subject] = [.account(email)] + (source.map { [.address($0)] } ?? [])
        for name in names {
            if let seconds = signInAttempts.wait(for: name, at: environment.now()) {
                throw CloudError(.throttled, "too many failed sign-ins; try again later", retryAfter: seconds)
            }
        }
        do {
            let account = try await account(email: email)
            let matches = try await verify(password, account)
            guard let account, matches else {
                for name in names { signInAttempts.failed(name, at: environment.now()) }
                throw CloudError(.authenticationFailed, "e-mail address or password is wrong")
            }
            for name in names { signInAttempts.succeeded(name) }
            return account
        } catch {
            throw Self.signInError(error) ?? cloudError(from: error)
        }
    }

    /// What those are told who have to wait for others' passwords; nil for other errors.
    static func signInError(_ error: any Error) -> CloudError? {
        guard let error = error as? CryptoError, error.code == .busy else { return nil }
        return CloudError(.throttled, "too many sign-ins at once; try again", retryAfter: 2)
    }

    private func verify(_ password: String, _ account: Account?) async throws -> Bool {
        guard password.utf8.count <= ServiceLimits.passwordMaximum else { return false }
        guard let account else { return try await passwords.dummyVerify(password) }
        return try await passwords.verify(password, hash: account.passwordHash)
    }
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
