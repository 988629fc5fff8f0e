import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// A person whose program has shown an app password.
public struct AppPasswordHolder: Sendable {
    let proof: AppPasswordProof
    /// Whose rates the requests count for.
    let payers: [Throttle.Subject]

    var account: Account { proof.account }
    /// The environment that the app password opens.
    public var environment: CloudEnvironment { proof.password.environment }
    /// Whether it may delete backups.
    public var mayDeleteBackups: Bool { proof.password.mayDeleteBackups }

    /// The address that the person signs in with.
    public var email: String { account.email }
}

extension CloudService {
    /// Returns the person behind an e-mail address and an app password.
    ///
    /// A right app password is never refused because of wrong ones: it cannot be found by guessing, and a forgotten program
    /// that repeats a revoked one must not keep the others out. Wrong ones are counted by the rules of sign-in, but apart
    /// from wrong passwords, so that such a program does not keep its person from signing in either.
    /// - Parameter source: the network address of the request.
    /// - Throws: `authenticationFailed`, in the same words and after the same work whatever is wrong; `throttled` for more
    ///   than ``ServiceLimits/failedSignIns`` wrong ones, and for an address whose requests come more quickly than
    ///   ``RequestRates`` say.
    public func authenticate(
        email: String, appPassword text: String, source: String
    ) async throws(CloudError) -> AppPasswordHolder {
        let now = environment.now()
        let pays = try throttle.admit(.address(source), at: now)
        let email = EmailAddress.normalized(email)
        if let proof = try await appPasswordProof(email, text, at: now) {
            return AppPasswordHolder(proof: proof, payers: pays ? [.address(source)] : [])
        }
        let subjects: [SignInAttempts.Subject] = [.appPassword(email), .address(source)]
        try signInAttempts.admit(subjects, at: now)
        signInAttempts.end(subjects, failed: true, at: now)
        throw CloudError(.authenticationFailed, "e-mail address or app password is wrong")
    }

    /// Returns the caller that a person is in a container, in the environment of their app password.
    /// - Throws: `notFound` for a container that does not exist; `accessDenied` for a test account of another container;
    ///   `throttled` for a person whose requests come more quickly than ``RequestRates`` say.
    public func caller(
        for holder: AppPasswordHolder, in container: ContainerIdentifier
    ) async throws(CloudError) -> Caller {
        let context = CloudContext(container: container, environment: holder.environment)
        if let name = holder.proof.userRecordName(in: context) {
            return try caller(name, in: context, payers: holder.payers)
        }
        let caller = try await caller(holder.account, in: context, payers: holder.payers)
        if let name = caller.userRecordName { holder.proof.remember(userRecordName: name, in: context) }
        return caller
    }

    /// Returns an account as a user of an existing container, which it becomes by this, and counts its request.
    /// - Throws: `notFound` for an unknown container; `throttled`.
    func caller(
        _ account: Account, in context: CloudContext, payers: [Throttle.Subject]
    ) async throws(CloudError) -> Caller {
        let name: String
        do {
            guard try await directory.hasContainer(context.container) else {
                throw CloudError(.notFound, "container '\(context.container)' does not exist")
            }
            name = try await userRecordName(of: account, in: context)
        } catch {
            throw cloudError(from: error)
        }
        return try caller(name, in: context, payers: payers)
    }

    private func caller(
        _ name: String, in context: CloudContext, payers: [Throttle.Subject]
    ) throws(CloudError) -> Caller {
        var caller = Caller(context: context, principal: .user(name))
        caller.payers = payers
        if try throttle.admit(.user(context, name), at: environment.now()) {
            caller.payers.append(.user(context, name))
        }
        return caller
    }

    /// The keyed hash that an app password is stored under; nil for what cannot be one.
    func appPasswordHash(_ text: String, _ accountID: String) -> [UInt8]? {
        AppPasswordSecret.characters(of: text).map { characters in
            seals.secret(for: .appPassword, boundTo: Array(accountID.utf8) + characters)
        }
    }

    /// Checks an app password, unless it was checked within ``ServiceLimits/proofLifetime`` and nothing was revoked since.
    /// - Returns: nil for a wrong one.
    private func appPasswordProof(
        _ email: String, _ text: String, at now: Int64
    ) async throws(CloudError) -> AppPasswordProof? {
        guard let mark = AppPasswordProof.Mark(email: email, password: text, key: appPasswordMarkKey) else {
            return nil
        }
        let (known, generation) = directory.appPassword(mark, at: now)
        if let known { return known }
        guard let (account, password) = try await provenAppPassword(email, text) else { return nil }
        let lastUsed = await noteUse(of: password, of: account.id, at: now)
        let proof = AppPasswordProof(
            account: account, password: password,
            expires: min(now + ServiceLimits.proofLifetime, lastUsed + ServiceLimits.sessionUsePause))
        directory.remember(proof, of: mark, generation: generation)
        return proof
    }

    /// Reads as much for an unknown address as for a known one.
    private func provenAppPassword(
        _ email: String, _ text: String
    ) async throws(CloudError) -> (Account, AppPassword)? {
        try await reading(.directory) { transaction in
            let id = try transaction.get(DirectoryKey.account(email: email)).map { String(decoding: $0, as: UTF8.self) }
            let accountID = id ?? String(repeating: "0", count: 32)
            let account: Account? = try transaction.value(at: DirectoryKey.account(id: accountID))
            guard let hash = self.appPasswordHash(text, accountID) else { return nil }
            let password: AppPassword? = try transaction.value(at: DirectoryKey.appPassword(hash, of: accountID))
            guard let account, let password, constantTimeEqual(password.hash, hash) else { return nil }
            return (account, password)
        }
    }

    /// Notes now and then that an app password was used. A request is answered also where that cannot be written.
    /// - Returns: The use that was noted last.
    private func noteUse(of password: AppPassword, of accountID: String, at now: Int64) async -> Int64 {
        if let lastUsed = password.lastUsed, now - lastUsed < ServiceLimits.sessionUsePause { return lastUsed }
        do {
            try await store.write(.directory) { transaction in
                let key = DirectoryKey.appPassword(password.hash, of: accountID)
                guard var current: AppPassword = try transaction.value(at: key) else { return }
                current.lastUsed = now
                transaction.set(key, current)
            }
        } catch {
            environment.report(error)
        }
        return now
    }
}
