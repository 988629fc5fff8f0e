import StratusCloudCrypto
import StratusCloudModel
import StratusWorkers

/// An app password that was checked a moment ago: programs send theirs with every request.
final class AppPasswordProof: Sendable {
    let account: Account
    let password: AppPassword
    /// Milliseconds since 1970-01-01 UTC.
    let expires: Int64
    private let names = Lock<[CloudContext: String]>([:])

    init(account: Account, password: AppPassword, expires: Int64) {
        self.account = account
        self.password = password
        self.expires = expires
    }

    /// The person's user record name in a context, if it was looked up since.
    func userRecordName(in context: CloudContext) -> String? { names.withLock { $0[context] } }

    func remember(userRecordName: String, in context: CloudContext) {
        names.withLock { $0[context] = userRecordName }
    }

    /// Identifies an e-mail address and an app password in memory without containing them: an HMAC under a key that only
    /// this process has. The time that its look-up takes says nothing about the password either.
    struct Mark: Hashable, Sendable {
        private let code: [UInt8]

        /// Nil for what cannot be an address with an app password.
        init?(email: String, password text: String, key: HMACSHA256) {
            guard email.utf8.count <= ServiceLimits.emailLength,
                let characters = AppPasswordSecret.characters(of: text)
            else { return nil }
            // The password has a fixed length, so nothing else gives the same bytes.
            code = key.authenticate(characters + Array(email.utf8))
        }
    }
}
