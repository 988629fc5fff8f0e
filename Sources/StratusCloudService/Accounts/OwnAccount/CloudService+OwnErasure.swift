import StratusCloudModel

extension CloudService {
    /// Erases a person at their own wish, as ``eraseAccount(email:deletingPublicRecords:)`` does for the operator.
    ///
    /// From the moment that it is noted nobody can sign in; what fails afterwards is finished when a server starts next.
    /// - Throws: `authenticationFailed` for a wrong password, which counts as a failed sign-in; `throttled` after
    ///   ``ServiceLimits/failedSignIns`` of those.
    public func eraseAccount(
        password: String, deletingPublicRecords deletes: Bool, of holder: AccountHolder, source: String?
    ) async throws(CloudError) {
        let account = try await provenAccount(
            email: holder.email, password: password, source: source, refusal: Self.passwordIsWrong)
        guard account.id == holder.account.id else {
            throw CloudError(.authenticationFailed, Self.passwordIsWrong)
        }
        do throws(CloudError) {
            _ = try await eraseAccount(email: account.email, deletingPublicRecords: deletes)
        } catch {
            let isNoted = try await reading(.directory) { try $0.get(DirectoryKey.erasure(of: account.id)) != nil }
            guard isNoted else { throw error }
            environment.report(error)
        }
    }

    private static let passwordIsWrong = "the password is wrong"
}
