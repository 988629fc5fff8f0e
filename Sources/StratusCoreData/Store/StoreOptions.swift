/// The type of stores in SQLite files.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores that are read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The type of stores that exist only in memory.
public let NSInMemoryStoreType = "InMemory"

/// The option to open a store only for reading.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option to migrate a store of another version of the model when it is opened.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// The option to infer how a store is migrated from the two versions of the model.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// The option with the pragmas for SQLite: a dictionary.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option with the seconds to wait for a store that another process holds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

/// The type of a store in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The UUID of a store in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"
