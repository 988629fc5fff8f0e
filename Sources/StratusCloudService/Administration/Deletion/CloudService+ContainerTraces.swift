import StratusCloudModel
import StratusCloudStore

/// What a deleted container leaves in the directory.
extension CloudService {
    /// Removes who signed in to a context, and where others found them.
    func forgetPeople(of context: CloudContext) async throws(CloudError) {
        _ = try await forEachStep(of: DirectoryKey.users(in: context), in: .directory) { entries, transaction in
            for entry in entries {
                guard let id = DirectoryKey.accountID(ofUser: entry.key) else { throw ByteReader.Malformed() }
                try Discoverability.withdraw(id, in: context, transaction)
                transaction.clear(entry.key)
            }
            return entries.count
        }
    }

    /// Removes everything else that names a container.
    func forgetTraces(of container: ContainerIdentifier) async throws(CloudError) {
        try await eraseTestAccounts(of: container)
        let tags: [DirectoryKey.Tag] = [
            .accountOfUser, .discoverableUser, .discoverableHash, .addressBook, .contactSalt, .appLink, .teamMembership,
            .developerUser, .testAccount,
        ]
        for tag in tags { try await clear(DirectoryKey.all(tag, of: container), of: .directory) }
        try await forget(DirectoryKey.sessions, in: .directory) {
            try Session(stored: $0.value).context.container == container
        }
        try await forget(DirectoryKey.shareGUIDs, in: .directory) {
            try ShareGUID(stored: $0.value).context.container == container
        }
        try await forget(DirectoryKey.shareInvitations, in: .directory) {
            try InvitationNote(stored: $0.value).context.container == container
        }
        try await forget(DirectoryKey.invitations, in: .directory) { entry in
            guard case .team(container, _) = try StoredInvitation(stored: entry.value).purpose else { return false }
            return true
        }
        try await forget(DeferredCascade.notes, in: .deferredWork) {
            try DeferredCascade(stored: $0.value).context.container == container
        }
    }

    /// Clears the entries of a range that belong to the container.
    private func forget(
        _ range: KeyRange, in partition: Partition, where isMeant: @escaping @Sendable (StoreEntry) throws -> Bool
    ) async throws(CloudError) {
        _ = try await forEachStep(of: range, in: partition) { entries, transaction in
            let meant = try entries.filter(isMeant)
            for entry in meant { transaction.clear(entry.key) }
            return meant.count
        }
    }

    /// They can sign in to this container only.
    private func eraseTestAccounts(of container: ContainerIdentifier) async throws(CloudError) {
        let emails = try await reading(.directory) { transaction in
            try transaction.entries(in: DirectoryKey.testAccounts(of: container), limit: .max).compactMap { entry in
                try DirectoryKey.accountID(ofTestAccount: entry.key).flatMap { id -> String? in
                    let account: Account? = try transaction.value(at: DirectoryKey.account(id: id))
                    return account?.email
                }
            }
        }
        for email in emails { _ = try await eraseAccount(email: email, deletingPublicRecords: false) }
    }
}
