import Foundation
import StratusCloudModel

extension CloudError.Code {
    /// CloudKit's code for a refusal of the web services.
    package var cloudKitCode: CKError.Code {
        switch self {
        case .accessDenied: .permissionFailure
        case .atomicError: .batchRequestFailed
        case .authenticationFailed, .authenticationRequired: .notAuthenticated
        case .badRequest: .invalidArguments
        case .conflict, .exists: .serverRecordChanged
        case .internalError: .serverRejectedRequest
        case .notFound: .unknownItem
        case .quotaExceeded: .quotaExceeded
        case .throttled: .requestRateLimited
        case .tryAgainLater: .serviceUnavailable
        case .uniqueFieldError: .constraintViolation
        case .validatingReferenceError: .referenceViolation
        case .zoneBusy: .zoneBusy
        case .zoneNotFound: .zoneNotFound
        }
    }
}

extension CKError.Code {
    /// What stands behind an error of the network.
    fileprivate var underlyingError: NSError? {
        switch self {
        case .networkUnavailable: NSError(domain: NSURLErrorDomain, code: NSURLErrorNotConnectedToInternet)
        case .networkFailure, .serverResponseLost:
            NSError(domain: NSURLErrorDomain, code: NSURLErrorNetworkConnectionLost)
        default: nil
        }
    }

    /// Whether it is in the server's words.
    fileprivate var isOfServer: Bool {
        switch self {
        case .permissionFailure, .unknownItem, .invalidArguments, .serverRecordChanged, .serverRejectedRequest,
            .constraintViolation, .batchRequestFailed, .quotaExceeded, .zoneNotFound, .referenceViolation:
            true
        default: false
        }
    }
}

extension NSError {
    /// A refusal in CloudKit's words. The records of a conflict are for the caller to add.
    package static func cloudKit(_ error: CloudError, _ userInfo: [String: Any] = [:]) -> NSError {
        var userInfo = userInfo
        userInfo[ErrorInfoKey.serverDescription] = error.reason
        if let delay = error.retryAfter { userInfo[CKErrorRetryAfterKey] = NSNumber(value: Double(delay)) }
        let code: CKError.Code
        switch error.extensionCode {
        case .changeTokenExpired?: code = .changeTokenExpired
        case .userDeletedZone?: code = .userDeletedZone
        case .userDidResetEncryptedData?:
            code = .zoneNotFound
            userInfo[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: true)
        case .alreadyShared?: code = .alreadyShared
        case .tooManyParticipants?: code = .tooManyParticipants
        case .encryptionKeysChanged?: code = .zoneBusy
        case .limitExceeded?: code = .limitExceeded
        case .encryptionKeysRevoked?: code = .accountTemporarilyUnavailable
        case nil:
            code = error.clientCode.flatMap { CKError.Code(rawValue: Int($0)) } ?? error.code.cloudKitCode
        }
        return cloudKit(code, error.reason, userInfo)
    }

    /// Why a request has no answer, in CloudKit's words.
    package static func cloudKit(_ error: CloudTransportError, container: String, isMutating: Bool) -> NSError {
        var userInfo: [String: Any] = [ErrorInfoKey.container: container]
        switch error {
        case .refused(let refusal, let uuid):
            userInfo[ErrorInfoKey.requestUUID] = uuid
            userInfo[ErrorInfoKey.status] = NSNumber(value: refusal.code.httpStatus)
            return cloudKit(refusal, userInfo)
        case .unreachable(let reason):
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSURLErrorDomain, code: NSURLErrorCannotConnectToHost)
            return cloudKit(.networkUnavailable, "The cloud cannot be reached: \(reason).", userInfo)
        case .untrusted(let reason):
            userInfo[NSUnderlyingErrorKey] = NSError(
                domain: NSURLErrorDomain, code: NSURLErrorSecureConnectionFailed)
            return cloudKit(.networkFailure, "There is no secure connection: \(reason).", userInfo)
        case .failed(let reason):
            userInfo[NSUnderlyingErrorKey] = NSError(
                domain: NSURLErrorDomain, code: NSURLErrorNetworkConnectionLost)
            return cloudKit(
                isMutating ? .serverResponseLost : .networkFailure, "The connection failed: \(reason).", userInfo)
        case .paused(let seconds):
            let reason = "The server asked to wait; the request was not sent."
            userInfo[CKErrorRetryAfterKey] = NSNumber(value: Double(seconds))
            // Apple's number for a request that an earlier answer keeps back.
            userInfo[NSUnderlyingErrorKey] = internalError(2_061, reason)
            return cloudKit(.requestRateLimited, reason, userInfo)
        case .cancelled: return operationCancelled
        case .unconfigured(let reason): return cloudKit(.badContainer, reason, userInfo)
        case .stated(let code, let reason, let retryAfter):
            userInfo[CKErrorRetryAfterKey] = retryAfter.map { NSNumber(value: $0) }
            userInfo[NSUnderlyingErrorKey] = code.underlyingError
            if code.isOfServer { userInfo[ErrorInfoKey.serverDescription] = reason }
            return cloudKit(code, reason, userInfo)
        case .file(let failure): return cloudKit(failure)
        }
    }

    /// Why the file of an asset cannot be used, in CloudKit's words.
    static func cloudKit(_ failure: LocalFile.Failure) -> NSError {
        switch failure {
        case .notFound(let path): cloudKit(.assetFileNotFound, "There is no file at '\(path)'.")
        case .modified(let path): cloudKit(.assetFileModified, "The file at '\(path)' changed while it was sent.")
        case .notAvailable(let path, let number):
            cloudKit(
                .assetNotAvailable, "The file at '\(path)' cannot be used.",
                [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number))])
        }
    }
}
