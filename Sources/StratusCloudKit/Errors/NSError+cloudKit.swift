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
}

extension NSError {
    /// An error of CloudKit. `description` says what is wrong, with the names in question and never a value.
    static func cloudKit(
        _ code: CKError.Code, _ description: String, _ userInfo: [String: Any] = [:]
    ) -> NSError {
        var userInfo = userInfo
        userInfo[NSLocalizedDescriptionKey] = description
        userInfo[ErrorInfoKey.description] = description
        return NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// The error of an operation some of whose items failed; nil if none did.
    static func partialFailure(_ failures: [AnyHashable: any Error], _ description: String) -> NSError? {
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
