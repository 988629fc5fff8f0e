import Foundation
import StratusCloudModel

extension CKSyncEngine {
    /// Finds out who is signed in, and tells the delegate if that is somebody else than before.
    /// - Returns: a client for all of one fetch or send, so that nothing of one person gets to another.
    /// - Throws: `CKError.notAuthenticated` if nobody is; why it cannot be found out; ``Succeeded``.
    func signedInClient(_ group: CKOperationGroup) async throws -> DatabaseClient {
        let client = client(group)
        guard client.scope != .public else {
            throw NSError.cloudKit(.badDatabase, "A sync engine is for the private or the shared database.")
        }
        try checkSuccession()
        let userName = try await client.accountUserName()
        // What the delegate adds when it is told goes to the engine that it has by then.
        try checkSuccession()
        await become(userName)
        try checkSuccession()
        guard userName != nil else { throw NSError.cloudKit(.notAuthenticated, "Nobody is signed in.") }
        return client
    }

    private func client(_ group: CKOperationGroup) -> DatabaseClient {
        var options = group.defaultConfigurationValues.over(database.options.configuration).callOptions(.userInitiated)
        // The engine itself waits for the network, without standing in its own way.
        options.qualityOfService = .userInitiated
        var client = database.client(options)
        client.seesReservedZones = seesReservedZones
        client.leavesAssets = !fetchesAssets
        return client
    }

    private func become(_ userName: String?) async {
        let former = state.read { $0.userName }
        guard former != userName else { return }
        let change: Event.AccountChange.ChangeType
        switch (former.map { CKRecord.ID(recordName: $0) }, userName.map { CKRecord.ID(recordName: $0) }) {
        case (nil, .some(let current)): change = .signIn(currentUser: current)
        case (.some(let previous), nil): change = .signOut(previousUser: previous)
        case (.some(let previous), .some(let current)):
            change = .switchAccounts(previousUser: previous, currentUser: current)
        case (nil, nil): return
        }
        // First, so that what the delegate adds for whoever is signed in now is kept.
        state.change { $0.becomeOther(userName) }
        await deliver(.accountChange(Event.AccountChange(changeType: change)))
        await reportState()
    }
}

extension DatabaseClient {
    /// The name of who is signed in; nil if nobody is for certain. A session that the server refuses, an account that is not
    /// to be had now and a cloud that is not configured are none of that: nobody has signed out.
    /// - Throws: `CKError.notAuthenticated`, `accountTemporarilyUnavailable`, and why the cloud cannot be asked.
    fileprivate func accountUserName() async throws -> String? {
        switch connection.transport.accountStatus {
        case .noAccount: return nil
        case .temporarilyUnavailable:
            throw NSError.cloudKit(.accountTemporarilyUnavailable, "The account is temporarily unavailable.")
        case .couldNotDetermine, .restricted:
            throw NSError.cloudKit(.notAuthenticated, "The account cannot be used now.")
        case .available, nil: break
        }
        if let transport = connection.transport as? UnconfiguredTransport {
            throw failure(.unconfigured(transport.reason), isMutating: false)
        }
        guard connection.transport.isSignedIn else { return nil }
        guard let name = try await names().currentUser else {
            throw NSError.cloudKit(.notAuthenticated, "The session is over: sign in again.")
        }
        return name
    }
}
