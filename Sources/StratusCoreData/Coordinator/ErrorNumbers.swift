// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The codes of Core Data's errors as numbers, which programs compare with `NSError.code`.

/// An object is not valid.
public let NSManagedObjectValidationError = 1550
/// Objects have values that must be unique and are not.
public let NSManagedObjectConstraintValidationError = 1551
/// Several properties are not valid; see `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A property has no value and must have one.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has too few destinations.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has too many destinations.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with destinations denies a deletion.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too early.
public let NSValidationDateTooSoonError = 1640
/// A value is no date.
public let NSValidationInvalidDateError = 1650
/// A text is too long.
public let NSValidationStringTooLongError = 1660
/// A text is too short.
public let NSValidationStringTooShortError = 1670
/// A text does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value is no URI.
public let NSValidationInvalidURIError = 1690
/// An object does not exist in its store.
public let NSManagedObjectReferentialIntegrityError = 133_000
/// An object leads to one in another store.
public let NSManagedObjectExternalRelationshipError = 133_010
/// Objects have changed in the store since they were read.
public let NSManagedObjectMergeError = 133_020
/// Objects have values that must be unique and are not, which merging could not resolve.
public let NSManagedObjectConstraintMergeError = 133_021
/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132_000
/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132_010
/// A type of stores is not known.
public let NSPersistentStoreInvalidTypeError = 134_000
/// A store is of another type than it is opened with.
public let NSPersistentStoreTypeMismatchError = 134_010
/// A store has tables that do not fit its model.
public let NSPersistentStoreIncompatibleSchemaError = 134_020
/// Changes cannot be saved.
public let NSPersistentStoreSaveError = 134_030
/// Some of several stores were saved before one failed.
public let NSPersistentStoreIncompleteSaveError = 134_040
/// Objects still conflict with the store after their conflicts were resolved.
public let NSPersistentStoreSaveConflictsError = 134_050
/// A failure of Core Data without a code of its own.
public let NSCoreDataError = 134_060
/// A store failed.
public let NSPersistentStoreOperationError = 134_070
/// A store cannot be opened.
public let NSPersistentStoreOpenError = 134_080
/// A store was not available in time.
public let NSPersistentStoreTimeoutError = 134_090
/// A store does not answer requests of a kind.
public let NSPersistentStoreUnsupportedRequestTypeError = 134_091
/// A store was written with another model.
public let NSPersistentStoreIncompatibleVersionHashError = 134_100
/// A migration failed.
public let NSMigrationError = 134_110
/// A migration failed because values are not unique.
public let NSMigrationConstraintViolationError = 134_111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134_120
/// The model that a store was written with was not found.
public let NSMigrationMissingSourceModelError = 134_130
/// A mapping model for a migration was not found.
public let NSMigrationMissingMappingModelError = 134_140
/// A migration cannot read the store.
public let NSMigrationManagerSourceStoreError = 134_150
/// A migration cannot write the new store.
public let NSMigrationManagerDestinationStoreError = 134_160
/// A policy of a migration failed.
public let NSEntityMigrationPolicyError = 134_170
/// SQLite refuses a statement.
public let NSSQLiteError = 134_180
/// A mapping model cannot be inferred.
public let NSInferredMappingModelError = 134_190
/// An external record cannot be read. External records do not exist here.
public let NSExternalRecordImportError = 134_200
/// The history that a token refers to was deleted.
public let NSPersistentHistoryTokenExpiredError = 134_301
/// The model of a reference was not found.
public let NSManagedObjectModelReferenceNotFoundError = 134_504
/// Stages of a migration were made with another version of Core Data.
public let NSStagedMigrationFrameworkVersionMismatchError = 134_505
/// Stages of a migration do not lead back to an earlier model.
public let NSStagedMigrationBackwardMigrationError = 134_506
