import Foundation

/// The keys of Apple's errors that have no constant.
enum ErrorInfoKey {
    /// The server's own words.
    static let serverDescription = "ServerErrorDescription"
    /// Words for a log.
    static let description = "CKErrorDescription"
    /// Names the request in the server's logs.
    static let requestUUID = "RequestUUID"
    /// The container that the request was about.
    static let container = "ContainerID"
    /// The HTTP status of a refused request.
    static let status = "CKHTTPStatus"
    /// Whether more of the same should wait.
    static let shouldThrottle = "CKErrorShouldThrottleClient"
    /// The domain of the errors behind those of CloudKit that are not the network's.
    static let internalDomain = "CKInternalErrorDomain"
}

extension CKError.Code {
    /// The number that Apple's service has for what stands behind the code; nil where none is known.
    /// - Parameter isOfServer: whether the server refused it, in its own words.
    fileprivate func internalNumber(isOfServer: Bool) -> Int? {
        switch self {
        case .partialFailure: 1_011
        case .limitExceeded: 1_020
        case .serverRejectedRequest: 2_000
        case .unknownItem: 2_003
        case .serverRecordChanged: 2_004
        case .invalidArguments: isOfServer ? 2_006 : nil
        case .permissionFailure: 2_007
        case .requestRateLimited: 2_008
        case .serviceUnavailable: 2_022
        case .batchRequestFailed: 2_024
        case .changeTokenExpired: 2_026
        case .zoneNotFound: 2_036
        case .userDeletedZone: 2_042
        default: nil
        }
    }
}

extension NSError {
    /// An error of CloudKit. `description` says what is wrong, with the names in question and never a value.
    static func cloudKit(
        _ code: CKError.Code, _ description: String, _ userInfo: [String: Any] = [:]
    ) -> NSError {
        var userInfo = userInfo
        userInfo[NSLocalizedDescriptionKey] = description
        userInfo[ErrorInfoKey.description] = description
        if userInfo[CKErrorRetryAfterKey] != nil { userInfo[ErrorInfoKey.shouldThrottle] = NSNumber(value: true) }
        let isOfServer = userInfo[ErrorInfoKey.serverDescription] != nil
        if userInfo[NSUnderlyingErrorKey] == nil, let number = code.internalNumber(isOfServer: isOfServer) {
            userInfo[NSUnderlyingErrorKey] = internalError(number, description)
        }
        return NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// What stands behind an error of CloudKit at Apple.
    static func internalError(_ number: Int, _ description: String) -> NSError {
        NSError(
            domain: ErrorInfoKey.internalDomain, code: number, userInfo: [NSLocalizedDescriptionKey: description])
    }

    /// The error of an operation some of whose items failed; nil if none did.
    package static func partialFailure(_ failures: [AnyHashable: any Error], _ description: String) -> NSError? {
        guard !failures.isEmpty else { return nil }
        return cloudKit(.partialFailure, description, [CKPartialErrorsByItemIDKey: failures])
    }

    static var operationCancelled: NSError { cloudKit(.operationCancelled, "The operation was cancelled.") }
}

extension Error {
    /// The code, if this is an error of CloudKit.
    var cloudKitCode: CKError.Code? {
        let error = self as NSError
        return error.domain == CKErrorDomain ? CKError.Code(rawValue: error.code) : nil
    }
}
