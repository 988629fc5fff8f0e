import Foundation

/// Errors in the form in which Core Data throws them.
enum CoreDataError {
    /// Runs a block and turns errors of stores and fetches into Cocoa's.
    static func inCocoa<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as StoreFailure {
            throw CocoaError.make(CocoaError.Code(rawValue: failure.cocoaCode), failure.description)
        } catch let failure as FetchFailure {
            throw CocoaError.make(.coreData, failure.description)
        }
    }
}

extension CocoaError.Code {
    /// A failure of Core Data without a code of its own.
    public static let coreData = CocoaError.Code(rawValue: 134_060)
    /// Changes cannot be saved.
    public static let persistentStoreSave = CocoaError.Code(rawValue: 134_030)
    /// Objects that are to be saved have changed in the store since they were read.
    public static let managedObjectMerge = CocoaError.Code(rawValue: 133_020)
    /// Objects that are to be saved have values that must be unique and are not.
    public static let managedObjectConstraintMerge = CocoaError.Code(rawValue: 133_021)
    /// An object does not exist in its store.
    public static let managedObjectReferentialIntegrity = CocoaError.Code(rawValue: 133_000)
}
