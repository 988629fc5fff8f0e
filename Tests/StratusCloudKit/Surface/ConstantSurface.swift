import CloudKit
import Testing

/// Names and numbers that programs write down, compare and keep: they must be Apple's.
@Suite struct ConstantSurface {
    @Test func names() {
        #expect(CKCurrentUserDefaultName == "__defaultOwner__")
        #expect(CKRecordZone.ID.defaultZoneName == "_defaultZone")
        #expect(CKRecordZoneDefaultName == "_defaultZone")
        #expect(CKRecord.SystemType.userRecord == "Users")
        #expect(CKRecordTypeUserRecord == "Users")
        #expect(CKRecord.SystemType.share == "cloudkit.share")
        #expect(CKRecordTypeShare == "cloudkit.share")
        #expect(CKRecordNameZoneWideShare == "cloudkit.zoneshare")
        #expect(CKQueryOperation.maximumResults == 0)
        #expect(NSNotification.Name.CKAccountChanged.rawValue == "CKAccountChangedNotification")
        #expect(Notification.Name.CKAccountChanged == .CKAccountChanged)
    }

    @Test func systemFields() {
        #expect(CKRecord.SystemFieldKey.recordID == "___recordID")
        #expect(CKRecord.SystemFieldKey.creationDate == "___createTime")
        #expect(CKRecord.SystemFieldKey.modificationDate == "___modTime")
        #expect(CKRecord.SystemFieldKey.creatorUserRecordID == "___createdBy")
        #expect(CKRecord.SystemFieldKey.lastModifiedUserRecordID == "___modifiedBy")
        #expect(CKRecord.SystemFieldKey.parent == "___parent")
        #expect(CKRecord.SystemFieldKey.share == "___share")
        #expect(CKRecordParentKey == "___parent")
        #expect(CKRecordShareKey == "___share")
    }

    @Test func errorKeys() {
        #expect(CKErrorDomain == "CKErrorDomain")
        #expect(CKError.errorDomain == CKErrorDomain)
        #expect(CKPartialErrorsByItemIDKey == "CKPartialErrors")
        #expect(CKRecordChangedErrorAncestorRecordKey == "AncestorRecord")
        #expect(CKRecordChangedErrorServerRecordKey == "ServerRecord")
        #expect(CKRecordChangedErrorClientRecordKey == "ClientRecord")
        #expect(CKErrorRetryAfterKey == "CKRetryAfter")
        #expect(CKErrorUserDidResetEncryptedDataKey == "CKUserDidResetEncryptedData")
    }

    @Test func numbersOfContainersAndDatabases() {
        let statuses: [CKAccountStatus] = [
            .couldNotDetermine, .available, .restricted, .noAccount, .temporarilyUnavailable,
        ]
        #expect(statuses.map(\.rawValue) == [0, 1, 2, 3, 4])
        let permissions: [CKContainer.ApplicationPermissionStatus] = [
            .initialState, .couldNotComplete, .denied, .granted,
        ]
        #expect(permissions.map(\.rawValue) == [0, 1, 2, 3])
        #expect(CKContainer.ApplicationPermissions.userDiscoverability.rawValue == 1)
        let scopes: [CKDatabase.Scope] = [.public, .private, .shared]
        #expect(scopes.map(\.rawValue) == [1, 2, 3])
        #expect(CKDatabase.Scope(rawValue: 4) == nil)
        let capabilities: [CKRecordZone.Capabilities] = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
        #expect(capabilities.map(\.rawValue) == [1, 2, 4, 8])
        #expect(CKRecordZone.EncryptionScope.perRecord.rawValue == 0)
        #expect(CKRecordZone.EncryptionScope.perZone.rawValue == 1)
    }

    @Test func numbersOfRecordsAndOperations() {
        #expect(CKRecord.ReferenceAction.none.rawValue == 0)
        #expect(CKRecord.ReferenceAction.deleteSelf.rawValue == 1)
        #expect(CKRecord.Reference.Action.deleteSelf == CKRecord.ReferenceAction.deleteSelf)
        let policies: [CKModifyRecordsOperation.RecordSavePolicy] = [.ifServerRecordUnchanged, .changedKeys, .allKeys]
        #expect(policies.map(\.rawValue) == [0, 1, 2])
        let sizes: [CKOperationGroup.TransferSize] = [
            .unknown, .kilobytes, .megabytes, .tensOfMegabytes, .hundredsOfMegabytes, .gigabytes, .tensOfGigabytes,
            .hundredsOfGigabytes,
        ]
        #expect(sizes.map(\.rawValue) == Array(0...7))
    }

    @Test func numbersOfSubscriptionsAndNotifications() {
        let kinds: [CKSubscription.SubscriptionType] = [.query, .recordZone, .database]
        #expect(kinds.map(\.rawValue) == [1, 2, 3])
        let options: [CKQuerySubscription.Options] = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion, .firesOnce,
        ]
        #expect(options.map(\.rawValue) == [1, 2, 4, 8])
        let notifications: [CKNotification.NotificationType] = [.query, .recordZone, .readNotification, .database]
        #expect(notifications.map(\.rawValue) == [1, 2, 3, 4])
        let reasons: [CKQueryNotification.Reason] = [.recordCreated, .recordUpdated, .recordDeleted]
        #expect(reasons.map(\.rawValue) == [1, 2, 3])
    }

    @Test func numbersOfErrors() {
        let codes: [CKError.Code] = [
            .internalError, .partialFailure, .networkUnavailable, .networkFailure, .badContainer, .serviceUnavailable,
            .requestRateLimited, .missingEntitlement, .notAuthenticated, .permissionFailure, .unknownItem,
            .invalidArguments, .resultsTruncated, .serverRecordChanged, .serverRejectedRequest, .assetFileNotFound,
            .assetFileModified, .incompatibleVersion, .constraintViolation, .operationCancelled, .changeTokenExpired,
            .batchRequestFailed, .zoneBusy, .badDatabase, .quotaExceeded, .zoneNotFound, .limitExceeded,
            .userDeletedZone, .tooManyParticipants, .alreadyShared, .referenceViolation, .managedAccountRestricted,
            .participantMayNeedVerification, .serverResponseLost, .assetNotAvailable, .accountTemporarilyUnavailable,
            .participantAlreadyInvited,
        ]
        #expect(codes.map(\.rawValue) == Array(1...37))
    }
}
