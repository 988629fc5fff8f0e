import Foundation
import StratusCloudModel

extension DatabaseClient {
    /// Whether the current user lets itself be found in this container: only then does the answer say more than the name.
    func isDiscoverable() async throws -> Bool {
        let users = try await send(.currentUser) { answer throws(CloudTransportError) in try answer.users() }
        return users.first.map { $0.lookupInfo != nil || $0.givenName != nil || $0.familyName != nil } ?? false
    }

    /// Looks for people; those who are not found, or do not want to be, are left out.
    func identities(
        for infos: [CKUserIdentity.LookupInfo]
    ) async throws -> [(CKUserIdentity.LookupInfo, CKUserIdentity)] {
        try Self.checkCount(infos.count)
        guard !infos.isEmpty else { return [] }
        let names = try await names()
        let lookups = infos.map { $0.lookup(names) }
        let users = try await send(.discoverUsers(lookups)) { answer throws(CloudTransportError) in
            try answer.users()
        }
        return zip(infos, lookups).compactMap { info, lookup in
            let user = users.first { user in
                if case .userRecordName(let name) = lookup { return user.userRecordName == name }
                return user.lookupInfo == lookup
            }
            return user.map { (info, CKUserIdentity($0, names)) }
        }
    }

    /// Everybody of the address book that the cloud keeps who wants to be found.
    func allIdentities() async throws -> [CKUserIdentity] {
        let names = try await names()
        let users = try await send(.discoverAllUsers) { answer throws(CloudTransportError) in try answer.users() }
        return users.map { CKUserIdentity($0, names) }
    }
}
