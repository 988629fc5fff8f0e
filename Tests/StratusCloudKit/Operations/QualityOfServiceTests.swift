import CloudKit
import Testing

@testable import StratusCloudKit

/// How urgent operations are unless told otherwise.
@Suite struct QualityOfServiceTests {
    private static var operations: [CKOperation] {
        [
            CKModifyRecordsOperation(), CKFetchRecordsOperation(), CKQueryOperation(), CKModifyRecordZonesOperation(),
            CKFetchRecordZonesOperation(), CKModifySubscriptionsOperation(), CKFetchSubscriptionsOperation(),
            CKFetchDatabaseChangesOperation(), CKFetchRecordZoneChangesOperation(),
            CKDiscoverUserIdentitiesOperation(), CKDiscoverAllUserIdentitiesOperation(),
            CKFetchShareMetadataOperation(), CKFetchShareParticipantsOperation(), CKAcceptSharesOperation(),
            CKShareRequestAccessOperation(), CKFetchWebAuthTokenOperation(),
        ]
    }

    @Test func theStandardIsDefault() {
        #expect(CKOperation.Configuration().qualityOfService == .default)
        for operation in Self.operations {
            #expect(operation.qualityOfService == .default && operation.configuration.qualityOfService == .default)
            #expect(!operation.callOptions.retries.isPatient, "\(type(of: operation)): somebody waits")
            operation.qualityOfService = .utility
            #expect(operation.configuration.qualityOfService == .utility)
            #expect(operation.callOptions.retries.isPatient)
            operation.configuration.qualityOfService = .userInteractive
            #expect(operation.qualityOfService == .userInteractive)
        }
    }

    @Test("what the group says counts where the operation says nothing") func groups() {
        let group = CKOperationGroup()
        group.defaultConfiguration.qualityOfService = .background
        let operation = CKFetchRecordsOperation()
        operation.group = group
        #expect(operation.effectiveValues.qualityOfService == .background)
        operation.configuration.qualityOfService = .default
        #expect(operation.effectiveValues.qualityOfService == .default)
    }
}
