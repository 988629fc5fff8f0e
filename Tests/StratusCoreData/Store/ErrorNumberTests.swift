import Foundation
import StratusCoreData
import Testing

@Suite struct ErrorNumberTests {
    @Test func numbersAreThoseOfTheCodes() {
        #expect(NSValidationMultipleErrorsError == CocoaError.Code.validationMultipleErrors.rawValue)
        #expect(NSValidationStringTooLongError == CocoaError.Code.validationStringTooLong.rawValue)
        #expect(NSManagedObjectMergeError == CocoaError.Code.managedObjectMerge.rawValue)
        #expect(NSPersistentStoreIncompatibleVersionHashError == 134_100)
        #expect(NSPersistentHistoryTokenExpiredError == CocoaError.Code.persistentHistoryTokenExpired.rawValue)
    }
}
