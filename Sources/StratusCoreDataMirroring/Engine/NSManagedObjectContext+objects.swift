import Foundation
import StratusCoreData

extension NSManagedObjectContext {
    /// Returns the object at a place; nil if it does not exist.
    func object(at key: StoredObjectKey, in store: NSPersistentStore) throws -> NSManagedObject? {
        guard let objectID = store.objectID(key) else { return nil }
        do {
            let object = try existingObject(with: objectID)
            return object.isDeleted ? nil : object
        } catch  where error.isCocoa(.managedObjectReferentialIntegrity) {
            return nil
        }
    }
}

extension Error {
    /// Whether this is an error of Cocoa with a code.
    func isCocoa(_ code: CocoaError.Code) -> Bool {
        let error = self as NSError
        return error.domain == NSCocoaErrorDomain && error.code == code.rawValue
    }
}
