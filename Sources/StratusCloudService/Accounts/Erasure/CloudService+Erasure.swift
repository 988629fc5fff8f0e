import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Erases a person: the account with its profile, sessions and devices, private data in all containers, backups of devices, shares they own,
    /// their part in the shares of others, and, if that is wanted, what they saved in public databases. From the moment
    /// it is noted nobody can sign in; what a crash cuts short the next start of a server finishes.
    ///
    /// What stays: records that they saved in others' shared zones and, unless they are deleted, in public databases; both
    /// belong to others, and name as creator a random name that leads nowhere then.
    /// - Throws: `notFound` if there is no such account, and none that is being erased.
    public func eraseAccount(
        email: String, deletingPublicRecords deletes: Bool
    ) async throws(CloudError) -> ErasureReport {
        let email = EmailAddress.normalized(email)
        let noted: Erasure
        do {
            noted = try await directory.change { try Self.beginErasure(email, deletes, in: $0) }
        } catch {
            throw cloudError(from: error)
        }
        return try await finish(noted)
    }

    /// Goes on with erasures that were cut short.
    func resumeErasures() async throws(CloudError) {
        for erasure in try await reading(.directory, { try $0.allValues(Erasure.self, in: DirectoryKey.erasures) }) {
            _ = try await finish(erasure)
        }
    }

    private static func beginErasure(
        _ email: String, _ deletes: Bool, in transaction: any WriteTransaction
    ) throws -> Erasure {
        guard let id = try transaction.get(DirectoryKey.account(email: email)),
            var account: Account = try transaction.value(
                at: DirectoryKey.account(id: String(decoding: id, as: UTF8.self)))
        else {
            let begun = try transaction.allValues(Erasure.self, in: DirectoryKey.erasures)
            if let erasure = begun.first(where: { $0.email == email }) { return erasure }
            throw CloudError(.notFound, "no account has the e-mail address '\(email)'")
        }
        // Without the address nobody signs in; under another number no session and no device counts.
        transaction.clear(DirectoryKey.account(email: email))
        transaction.clear(DirectoryKey.accountSessions(of: account.id))
        transaction.clear(DirectoryKey.appPasswords(of: account.id))
        account.sessionEpoch += 1
        transaction.set(DirectoryKey.account(id: account.id), account)
        for entry in try Discoverability.all(of: account.id, in: transaction) {
            try Discoverability.withdraw(account.id, in: entry.context, transaction)
        }
        let erasure = Erasure(accountID: account.id, email: email, deletesPublicRecords: deletes)
        transaction.set(DirectoryKey.erasure(of: account.id), erasure)
        return erasure
    }

    /// Each step may be done again after a crash; the names that lead to the data go after them.
    private func finish(_ erasure: Erasure) async throws(CloudError) -> ErasureReport {
        var report = ErasureReport()
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                let key = DirectoryKey.user(of: erasure.accountID, in: context)
                guard let name = try await reading(.directory, { try $0.get(key) }) else { continue }
                let person = ErasedPerson(
                    name: String(decoding: name, as: UTF8.self), context: context, erasure: erasure)
                try await erase(person, &report)
                report.environments += 1
            }
        }
        report.assetFiles += try await eraseDeviceBackups(of: erasure.accountID)
        try await forgetMail(to: erasure.email)
        report.sessions = try await forgetSessions(of: erasure.accountID)
        do {
            try await directory.change { transaction in
                let id = erasure.accountID
                if let phone = try Profile.read(of: id, in: transaction).phone {
                    transaction.clear(DirectoryKey.account(phone: phone))
                }
                try Self.unlinkAll(from: id, in: transaction)
                transaction.clear(DirectoryKey.sessionUses(of: id))
                transaction.clear(DirectoryKey.knownNetworks(of: id))
                transaction.clear(DirectoryKey.passwordResets(of: id))
                transaction.clear(DirectoryKey.profile(of: id))
                transaction.clear(DirectoryKey.account(id: id))
                transaction.clear(DirectoryKey.erasure(of: id))
            }
        } catch {
            throw cloudError(from: error)
        }
        return report
    }

    /// Sessions lie under their hashes, so all are looked at.
    private func forgetSessions(of accountID: String) async throws(CloudError) -> Int {
        try await forEachStep(of: DirectoryKey.sessions, in: .directory) { entries, transaction in
            try entries.count { entry in
                guard try Session(stored: entry.value).accountID == accountID else { return false }
                transaction.clear(entry.key)
                return true
            }
        }
    }

    /// Mail to them that waits, from whomever.
    private func forgetMail(to email: String) async throws(CloudError) {
        _ = try await forEachStep(of: MailKey.queue, in: .mail) { entries, transaction in
            try entries.count { entry in
                guard EmailAddress.normalized(try StoredMail(stored: entry.value).address) == email else {
                    return false
                }
                transaction.clear(entry.key)
                return true
            }
        }
    }

    /// Goes over a range in transactions of bounded size.
    /// - Returns: the sum of what `body` returned.
    func forEachStep(
        of range: KeyRange, in partition: Partition,
        _ body: @escaping @Sendable ([StoreEntry], any WriteTransaction) throws -> Int
    ) async throws(CloudError) -> Int {
        var (rest, sum) = (range, 0)
        while true {
            let unread = rest
            let (next, count) = try await writing(partition) { transaction -> (Key?, Int) in
                let entries = try transaction.entries(in: unread, limit: ServiceLimits.clearedIndexEntriesPerStep)
                let isLast = entries.count < ServiceLimits.clearedIndexEntriesPerStep
                return (isLast ? nil : entries.last?.key.next, try body(entries, transaction))
            }
            sum += count
            guard let next else { return sum }
            rest.lower = next
        }
    }
}
