import Foundation
import StratusCloudModel

/// The change feed of a public database, an addition of Stratus: Apple's public databases have none.
extension CKDatabase {
    /// The error of ``CKDatabase/publicChanges(since:recordTypes:desiredKeys:resultsLimit:)`` on a server that has no
    /// such feed. Ask such a server with queries.
    public struct PublicChangesUnavailable: Error, CustomStringConvertible {
        /// The server's answer.
        public let underlyingError: any Error

        /// A sentence for logs.
        public var description: String { "The server has no change feed of public databases: \(underlyingError)" }
    }

    /// Returns one page of the records saved and deleted in this public database since a token, as far as the current
    /// user may read them. Continue with the new token while `moreComing`.
    ///
    /// Nobody need be signed in where everybody may read. Records of the type `Users` are left out. A deletion may be
    /// listed more than once, and of a record that was never listed.
    /// - Parameters:
    ///   - changeToken: nil to begin with all records there are.
    ///   - recordTypes: Types to list; nil for all.
    ///   - desiredKeys: nil for all fields, an empty list for none.
    ///   - resultsLimit: nil leaves it to the server.
    /// - Throws: ``PublicChangesUnavailable`` if the server has no such feed; `CKError.changeTokenExpired` if the token
    ///   cannot be continued, also because the current user may read other record types than before: begin without
    ///   one, and remove what is not listed again; `CKError.badDatabase` if this is no public database.
    public func publicChanges(
        since changeToken: CKServerChangeToken?, recordTypes: [CKRecord.RecordType]? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let page = try await client.publicChanges(
            PublicChangesRequest(
                syncToken: changeToken?.text, resultsLimit: DatabaseClient.limit(resultsLimit),
                desiredKeys: desiredKeys, desiredRecordTypes: recordTypes))
        let modifications = page.modifications.map { recordID, result in
            (recordID, result.map { RecordZoneChange.Modification(record: $0) })
        }
        return (byName(modifications), page.deletions, page.token, page.moreComing)
    }
}

extension DatabaseClient {
    fileprivate func publicChanges(_ request: PublicChangesRequest) async throws -> ZoneChangesOutcome {
        try require([.public], "There is no feed of public records")
        let names = try await names()
        let page: ZoneChangesPage
        do {
            page = try await send(.publicChanges(request)) { answer throws(CloudTransportError) in
                try answer.publicChanges()
            }
        } catch  where error.cloudKitCode == .unknownItem {
            // The answer to an address that the server does not know; the feed itself is always found.
            throw CKDatabase.PublicChangesUnavailable(underlyingError: error)
        }
        return try await outcome(page, in: .default, names)
    }
}
