import CloudModel
import Foundation
import StratusCloudKit

extension LocalCloud {
    /// Something that goes wrong with a request.
    ///
    /// Most happen on the way to the cloud, so that the library does with them what it does with a real network: a read
    /// whose connection broke is sent again, a throttled request is tried again soon, a write is never sent twice.
    /// ``error(_:retryAfter:)`` is what the library says in the end.
    public struct Fault: Sendable, CustomStringConvertible {
        enum Kind: Sendable {
            case error(CKError.Code, retryAfter: TimeInterval?)
            case recordErrors(CloudError.Code, of: CKRecord.ID?)
            case latency(Duration)
            case offline
            case drop(afterCommit: Bool)
            case refusal(CloudError)
        }

        let kind: Kind
        /// What it is called.
        public let description: String

        /// The call fails with just this error, and nothing is done. The library does not try again.
        public static func error(_ code: CKError.Code, retryAfter: TimeInterval? = nil) -> Fault {
            Fault(kind: .error(code, retryAfter: retryAfter), description: "error \(code)")
        }

        /// One record of a save, deletion or fetch fails with this error, and with it, in a batch that is to be all or
        /// nothing, the others with `CKError.batchRequestFailed`.
        /// - Parameter code: one that a cloud says of a single record: `serverRecordChanged`, `unknownItem`,
        ///   `permissionFailure`, `invalidArguments`, `referenceViolation`, `quotaExceeded`, `batchRequestFailed`,
        ///   `zoneNotFound`, `requestRateLimited`, `serviceUnavailable` or `serverRejectedRequest`.
        public static func error(_ code: CKError.Code, of recordID: CKRecord.ID) -> Fault {
            let refusal = CloudError.Code.allCases.first { $0.cloudKitCode == code }
            precondition(refusal != nil, "\(code) is no error of a single record")
            return Fault(
                kind: .recordErrors(refusal ?? .internalError, of: recordID),
                description: "error \(code) of \(recordID.recordName)")
        }

        /// The answer takes so long, by the cloud's clock. A request that has no patience for it fails as after a broken
        /// connection, and nothing is done.
        public static func latency(_ duration: Duration) -> Fault {
            Fault(kind: .latency(duration), description: "latency \(duration)")
        }

        /// There is no way to the cloud: `CKError.networkUnavailable`.
        public static let offline = Fault(kind: .offline, description: "offline")

        /// The connection breaks on the way there; nothing is done. A write fails with `CKError.serverResponseLost`, a read
        /// with `CKError.networkFailure`.
        public static let dropBeforeCommit = Fault(kind: .drop(afterCommit: false), description: "drop before commit")

        /// The connection breaks on the way back: all is done, and the caller does not know. The same errors.
        public static let dropAfterCommit = Fault(kind: .drop(afterCommit: true), description: "drop after commit")

        /// The cloud says that requests come too quickly: `CKError.requestRateLimited`, and seconds to wait.
        public static func throttle(retryAfter: Int) -> Fault {
            Fault(
                kind: .refusal(CloudError(.throttled, "too many requests", retryAfter: retryAfter)),
                description: "throttle")
        }

        /// The cloud cannot answer now: `CKError.serviceUnavailable`, and seconds to wait.
        public static func busy(retryAfter: Int) -> Fault {
            Fault(
                kind: .refusal(CloudError(.tryAgainLater, "the server is busy", retryAfter: retryAfter)),
                description: "busy")
        }

        /// There is no room for what is saved: `CKError.quotaExceeded` for each record.
        public static let quotaExceeded = Fault(
            kind: .recordErrors(.quotaExceeded, of: nil), description: "quota exceeded")
    }
}
