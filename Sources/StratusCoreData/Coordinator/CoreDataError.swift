import Foundation

/// Errors in the form in which Core Data throws them.
enum CoreDataError {
    /// Runs a block and turns errors of stores and fetches into Cocoa's.
    static func inCocoa<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as StoreFailure {
            throw CocoaError.make(
                CocoaError.Code(rawValue: failure.cocoaCode), failure.description, failure.userInfo)
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
    /// A store is of another type than it is opened with.
    public static let persistentStoreTypeMismatch = CocoaError.Code(rawValue: 134_010)
    /// Some of several stores were saved before one failed.
    public static let persistentStoreIncompleteSave = CocoaError.Code(rawValue: 134_040)
    /// Objects still conflict with the store after their conflicts were resolved.
    public static let persistentStoreSaveConflicts = CocoaError.Code(rawValue: 134_050)
    /// A class of stores does not do what it was asked for.
    public static let persistentStoreOperation = CocoaError.Code(rawValue: 134_070)
    /// Another process holds a store for longer than was waited.
    public static let persistentStoreTimeout = CocoaError.Code(rawValue: 134_090)
    /// SQLite refuses a statement; its code is under `NSSQLiteErrorDomain`.
    public static let sqlite = CocoaError.Code(rawValue: 134_180)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The code of SQLite in the `userInfo` of an error.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of the stores that failed, in the `userInfo` of the error of a save.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of the objects that failed, in the `userInfo` of the error of a save.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A number for programs that ask which members Core Data has. It is beyond those that they compare.
public let NSCoreDataVersionNumber = 1_326.0
