import Foundation
import StratusCloudModel

extension CKContainer {
    /// Whether somebody is signed in.
    /// - Throws: why it cannot be found out.
    public func accountStatus() async throws -> CKAccountStatus {
        if let status = source.connection.transport.accountStatus { return status }
        return try await client().names().currentUser == nil ? .noAccount : .available
    }

    /// Whether somebody is signed in.
    @preconcurrency
    public func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void) {
        Completion.run({ try await self.accountStatus() }) { result in
            switch result {
            case .success(let status): completionHandler(status, nil)
            case .failure(let error): completionHandler(.couldNotDetermine, error)
            }
        }
    }

    /// The identifier of the current user's record, which is the same in all of the container.
    public func userRecordID() async throws -> CKRecord.ID {
        guard let name = try await client().names().currentUser else {
            throw NSError.cloudKit(.notAuthenticated, "Nobody is signed in.")
        }
        return CKRecord.ID(recordName: name)
    }

    /// The identifier of the current user's record.
    @preconcurrency
    public func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void) {
        Completion.run({ try await self.userRecordID() }, completionHandler)
    }
}
