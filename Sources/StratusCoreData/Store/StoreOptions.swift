// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of stores in SQLite files.
public let NSSQLiteStoreType = "SQLite"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of stores that are read and written as a whole.
public let NSBinaryStoreType = "Binary"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of stores that exist only in memory.
public let NSInMemoryStoreType = "InMemory"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to open a store only for reading.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to migrate a store of another version of the model when it is opened.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to infer how a store is migrated from the two versions of the model.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option with the pragmas for SQLite: a dictionary.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option with the seconds to wait for a store that another process holds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to keep a history of saves.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to post ``Foundation/Notification/Name/NSPersistentStoreRemoteChange`` after saves.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of a store in its metadata.
public let NSStoreTypeKey = "NSStoreType"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The UUID of a store in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"
