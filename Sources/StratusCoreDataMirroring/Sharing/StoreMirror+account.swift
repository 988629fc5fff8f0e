import StratusCloudKit
import StratusCoreData

// The account of a call that shares objects. Each step is a request of whoever is signed in at that time.
extension StoreMirror {
    /// Returns the name of the user who is signed in; nil if that cannot be found out now.
    /// - Throws: An error if nobody is signed in, or this process does not mirror the store.
    func checkAccount() async throws -> String? {
        if let error = await MirroringError.ofAccount(plan.container, plan.scope) { throw error }
        guard await startedEngine() != nil else {
            throw MirroringError.sharing("the store is mirrored by another process, or no longer")
        }
        do {
            return try await plan.container.userRecordID().recordName
        } catch let error as CKError where error.isTransient {
            return nil
        }
    }

    /// Returns an error if another account is signed in than when a call began, or nobody is; nil if it is the same one,
    /// or if that cannot be found out now, or could not then.
    func accountChange(since account: String?) async -> (any Error)? {
        guard let account else { return nil }
        do {
            let current = try await plan.container.userRecordID().recordName
            return current == account ? nil : MirroringError.accountChanged
        } catch let error as CKError where error.code == .notAuthenticated {
            return MirroringError.signedOut
        } catch {
            // The next request says it, too.
            return nil
        }
    }

    /// - Throws: An error if the objects of the store are those of another account. The engine removes them soon.
    func checkStore(is account: String?) throws {
        guard let account else { return }
        let known = try store.reading { try MirrorTables(transaction: $0).account() }
        if let known, known != account { throw MirroringError.accountChanged }
    }
}
