import Foundation
import StratusCloudKit
import StratusCloudModel

extension LocalCloud {
    /// Something that goes wrong with a request.
    ///
    /// Most happen on the way to the cloud, so that the library does with them what it does with a real network: a read
    /// whose connection broke is sent again, a throttled request is tried again soon, a write is never sent twice.
    /// ``error(_:retryAfter:afterCommit:)`` is what the library says in the end.
    public struct Fault: Sendable, CustomStringConvertible {
        enum Kind: Sendable {
            case error(CKError.Code, retryAfter: TimeInterval?, afterCommit: Bool)
            case recordErrors(CloudError, of: CKRecord.ID?, afterCommit: Bool)
            case latency(Duration)
            case offline
            case drop(afterCommit: Bool)
            case refusal(CloudError)
        }

        let kind: Kind
        /// What it is called.
        public let description: String

        /// The call fails with just this error. The library does not try again.
        ///
        /// The error has in its `userInfo` what its code has with Apple: a wait where there is one, the items' errors of a
        /// partial failure, the records of a conflict, the error of the network behind one.
        /// - Parameters:
        ///   - code: any. `serverRecordChanged` concerns each record that is saved, as it cannot concern a whole save.
        ///   - retryAfter: seconds; nil for one second with `serviceUnavailable`, `requestRateLimited` and `zoneBusy`,
        ///     which always say when, and for none with the others.
        ///   - afterCommit: whether all is done before it fails, or nothing is.
        public static func error(
            _ code: CKError.Code, retryAfter: TimeInterval? = nil, afterCommit: Bool = false
        ) -> Fault {
            Fault(
                kind: .error(code, retryAfter: retryAfter ?? code.usualWait, afterCommit: afterCommit),
                description: "error \(code)" + (afterCommit ? " after commit" : ""))
        }

        /// One record of a save, deletion or fetch fails with this error, and with it, in a batch that is to be all or
        /// nothing, the others with `CKError.batchRequestFailed`.
        /// - Parameters:
        ///   - code: any. `serverRecordChanged` brings the stored record.
        ///   - afterCommit: whether the record is saved or deleted, with the others, before its answer turns into the error.
        public static func error(
            _ code: CKError.Code, of recordID: CKRecord.ID, afterCommit: Bool = false
        ) -> Fault {
            let error = CloudError(code, "the error of record '\(recordID.recordName)' was injected")
            return Fault(
                kind: .recordErrors(error, of: recordID, afterCommit: afterCommit),
                description: "error \(code) of \(recordID.recordName)" + (afterCommit ? " after commit" : ""))
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
            kind: .recordErrors(CloudError(.quotaExceeded, "there is no room"), of: nil, afterCommit: false),
            description: "quota exceeded")
    }
}

extension CKError.Code {
    /// Seconds that errors of the code always say to wait.
    fileprivate var usualWait: TimeInterval? {
        switch self {
        case .serviceUnavailable, .requestRateLimited, .zoneBusy: 1
        default: nil
        }
    }
}

extension CloudError {
    /// What makes the library say this of an item.
    init(_ code: CKError.Code, _ reason: String) {
        self.init(
            Code.allCases.first { $0.cloudKitCode == code } ?? .internalError, reason,
            retryAfter: code.usualWait.map { Int($0) })
        clientCode = UInt8(exactly: code.rawValue)
    }
}
