import StratusCloudKit
import StratusCoreData

// Stores of public databases are mirrored with and without an account.
extension StoreMirror {
    /// Returns the name of the person who is signed in; nil for nobody.
    /// - Throws: The reason why that cannot be found out now.
    func publicAccount() async throws -> String? {
        switch try await plan.container.accountStatus() {
        case .available:
            do {
                return try await plan.container.userRecordID().recordName
            } catch  where CKError(any: error).code == .notAuthenticated {
                return nil
            }
        case .temporarilyUnavailable: return try store.reading { try MirrorTables(transaction: $0).account() }
        case .noAccount, .couldNotDetermine, .restricted: return nil
        @unknown default: return nil
        }
    }

    /// Notes who is signed in. The objects stay. For another person than before, all records are fetched again, because
    /// they may name their creators differently. A change after the setup is a setup of its own.
    func note(publicAccount account: String?) throws {
        let isChanged = try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            guard try tables.account() != account else { return false }
            try tables.setAccount(account)
            guard let account else { return true }
            var state = try tables.publicState() ?? PublicMirrorState()
            let hadRecordsOfFormer = state.hasRecordsOfFormerAccount
            state.note(account: account)
            if state.hasRecordsOfFormerAccount, !hadRecordsOfFormer {
                try tables.forgetListing(of: tables.zone(.default).number)
            }
            try tables.setPublicState(state)
            return true
        }
        guard isChanged else { return }
        if state.withLock({ $0.isSetUp }) { events.end(events.begin(.setup)) }
        armExport()
    }
}
