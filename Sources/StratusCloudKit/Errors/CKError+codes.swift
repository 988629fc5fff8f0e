/// The codes by themselves, so that `catch CKError.zoneNotFound` and `case CKError.zoneNotFound:` match.
extension CKError {
    /// The library or the server has a fault.
    public static var internalError: Code { .internalError }
    /// Some of the items failed; ``CKError/partialErrorsByItemID`` says which.
    public static var partialFailure: Code { .partialFailure }
    /// There is no way to the server.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// The connection failed on the way.
    public static var networkFailure: Code { .networkFailure }
    /// There is no such container, or it may not be used.
    public static var badContainer: Code { .badContainer }
    /// The server cannot answer now.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// Requests come too quickly.
    public static var requestRateLimited: Code { .requestRateLimited }
    /// The app may not do this.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// Nobody is signed in, or no longer.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// The user may not do this.
    public static var permissionFailure: Code { .permissionFailure }
    /// There is no such record, subscription or share, or no record of such a type.
    public static var unknownItem: Code { .unknownItem }
    /// The request makes no sense as it is.
    public static var invalidArguments: Code { .invalidArguments }
    /// The answer is incomplete.
    public static var resultsTruncated: Code { .resultsTruncated }
    /// The record is another than the one that was fetched.
    public static var serverRecordChanged: Code { .serverRecordChanged }
    /// The server refused for good.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }
    /// The file of an asset is not there.
    public static var assetFileNotFound: Code { .assetFileNotFound }
    /// The file of an asset changed while it was sent.
    public static var assetFileModified: Code { .assetFileModified }
    /// The app is too old.
    public static var incompatibleVersion: Code { .incompatibleVersion }
    /// A value that must be unique is there already.
    public static var constraintViolation: Code { .constraintViolation }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The change token cannot be continued; begin without one.
    public static var changeTokenExpired: Code { .changeTokenExpired }
    /// Another item of the atomic batch failed.
    public static var batchRequestFailed: Code { .batchRequestFailed }
    /// Too many change the zone at the same time.
    public static var zoneBusy: Code { .zoneBusy }
    /// This cannot be done in this database.
    public static var badDatabase: Code { .badDatabase }
    /// There is no room left.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// There is no such zone.
    public static var zoneNotFound: Code { .zoneNotFound }
    /// The request is too large; split it.
    public static var limitExceeded: Code { .limitExceeded }
    /// The user removed the zone.
    public static var userDeletedZone: Code { .userDeletedZone }
    /// The share has too many participants.
    public static var tooManyParticipants: Code { .tooManyParticipants }
    /// The record is in another share already.
    public static var alreadyShared: Code { .alreadyShared }
    /// A reference has no target, or the target is still referred to.
    public static var referenceViolation: Code { .referenceViolation }
    /// The account may not do this.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    /// The user may be a participant, but must prove it.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
    /// The answer was lost; the request may have been carried out.
    public static var serverResponseLost: Code { .serverResponseLost }
    /// The file of an asset cannot be read.
    public static var assetNotAvailable: Code { .assetNotAvailable }
    /// The account needs its user first.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
    /// The user is invited already.
    public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}
