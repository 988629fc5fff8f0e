import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Changes what an account says of its person, and what it is found by where it may be found.
    /// - Throws: `notFound` if there is no such account, `badRequest` for a name or number that is none, `exists` if
    ///   another account has the phone number.
    public func updateProfile(email: String, _ change: ProfileChange) async throws(CloudError) {
        do {
            guard let account = try await account(email: EmailAddress.normalized(email)) else {
                throw CloudError(.notFound, "no account has the e-mail address '\(email)'")
            }
            try await store.write(.directory) { try Self.write(change, of: account, in: $0) }
        } catch {
            throw cloudError(from: error)
        }
    }

    static func write(_ change: ProfileChange, of account: Account, in transaction: any WriteTransaction) throws {
        let old = try Profile.read(of: account.id, in: transaction)
        let new = try change.applied(to: old)
        guard new != old else { return }
        if let phone = new.phone, phone != old.phone,
            try transaction.get(DirectoryKey.account(phone: phone)) != nil
        {
            throw CloudError(.exists, "an account with the phone number '\(phone)' already exists")
        }
        if let phone = old.phone { transaction.clear(DirectoryKey.account(phone: phone)) }
        if let phone = new.phone { transaction.set(DirectoryKey.account(phone: phone), Array(account.id.utf8)) }
        transaction.set(DirectoryKey.profile(of: account.id), new)
        for entry in try Discoverability.all(of: account.id, in: transaction) {
            guard let salt = try ContactSalt.read(of: entry.context, in: transaction) else { continue }
            try Discoverability.allow(
                account, new, named: entry.userRecordName, in: entry.context, salt: salt, transaction)
        }
    }
}
