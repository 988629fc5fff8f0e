import Foundation

/// What CloudKit calls throw.
///
/// The error object itself is always a plain `NSError` of the domain ``CKErrorDomain``: only then do `as? CKError`,
/// `catch CKError.zoneNotFound`, `catch let error as CKError` and `as NSError` all match it, on Linux as on Apple's
/// systems.
///
/// `@unchecked Sendable`: an `NSError` never changes, and its `userInfo` holds immutable values and records, which
/// guard themselves.
public struct CKError: _BridgedStoredNSError, Hashable, @unchecked Sendable {
    /// The error object.
    public let _nsError: NSError

    /// Views an error object as an error of CloudKit.
    public init(_nsError error: NSError) { _nsError = error }

    /// ``CKErrorDomain``
    public static var _nsErrorDomain: String { CKErrorDomain }

    /// Of the code. The hash of an `NSError`, which would be taken instead, never returns on Linux.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }
}

/// Lets `as? CKError` match a plain `NSError` of the domain.
extension CKError: _ObjectiveCBridgeable {
    /// The error object.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// Views an error object as an error of CloudKit.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
        result = CKError(_nsError: source)
    }

    /// Views an error object as an error of CloudKit if it is one.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) -> Bool {
        guard source.domain == CKErrorDomain else { return false }
        result = CKError(_nsError: source)
        return true
    }

    /// Views an error object as an error of CloudKit.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
        CKError(_nsError: source ?? .cloudKit(.internalError, "There is no error."))
    }
}

extension CKError {
    /// The errors of the items that failed, by record ID, zone ID, subscription ID or whatever names them.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// The record as it was when it was last fetched, for ``Code/serverRecordChanged``.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }

    /// The record as the server has it, for ``Code/serverRecordChanged``: merge into it and save it.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }

    /// The record that was to be saved, for ``Code/serverRecordChanged``.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }

    /// Seconds to wait before a retry.
    public var retryAfterSeconds: Double? { (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue }
}
