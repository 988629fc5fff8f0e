import Foundation
import StratusCloudKit

extension LocalCloud {
    /// A request that a device sent. One that the library sends again is two.
    public struct Request: Identifiable, Sendable, CustomStringConvertible {
        /// What became of a request.
        public enum Outcome: Sendable {
            /// It is on its way.
            case pending
            /// All of it was done.
            case success
            /// These items failed, by record ID, zone ID or subscription ID. Where a zone is atomic that is all of them.
            case partialFailure([ItemID: CKError])
            /// There is no answer: what the transport said, before the library made up its mind about another try.
            case failure(CKError)
        }

        /// Counts the requests of the cloud, from 1.
        public let id: Int
        /// Who was signed in; nil for nobody.
        public let account: String?
        /// The device.
        public let device: String
        /// The container.
        public let containerIdentifier: String
        /// The database; nil for the bytes of assets, whose addresses belong to none.
        public let databaseScope: CKDatabase.Scope?
        /// What was asked.
        public let calls: Calls
        /// The records it is about: of saves, deletions, fetches and assets.
        public let recordIDs: [CKRecord.ID]
        /// The zones it is about.
        public let zoneIDs: [CKRecordZone.ID]
        /// The subscriptions it is about.
        public let subscriptionIDs: [CKSubscription.ID]
        /// When it was sent, by the cloud's clock.
        public let date: Date
        /// What became of it.
        public internal(set) var outcome = Outcome.pending

        /// Why it, or an item of it, failed; nil if nothing did.
        public var error: CKError? {
            switch outcome {
            case .pending, .success: nil
            case .partialFailure(let errors): errors.values.first
            case .failure(let error): error
            }
        }

        /// For logs.
        public var description: String {
            let what = recordIDs.isEmpty ? zoneIDs.map(\.zoneName) : recordIDs.map(\.recordName)
            let result =
                switch outcome {
                case .pending: "…"
                case .success: "done"
                case .partialFailure(let errors): "\(errors.count) failed"
                case .failure(let error): "\(error.code)"
                }
            return "#\(id) \(account ?? "nobody")/\(device) \(calls) \(what.joined(separator: ",")): \(result)"
        }
    }

    /// Names an item of a request.
    public enum ItemID: Hashable, Sendable {
        /// A record.
        case record(CKRecord.ID)
        /// A zone.
        case zone(CKRecordZone.ID)
        /// A subscription.
        case subscription(CKSubscription.ID)
        /// A link to a share, by the last part of its address.
        case shareLink(String)
    }

    /// The requests so far, the first one first; of more than ``requestsKept`` the oldest are forgotten.
    public var requests: [Request] { core.log.requests }

    /// The requests of some kinds.
    public func requests(_ calls: Calls) -> [Request] { requests.filter { !$0.calls.isDisjoint(with: calls) } }

    /// Forgets the requests so far.
    public func forgetRequests() { core.log.forget() }

    /// Requests that are remembered.
    public static let requestsKept = 10_000
}
