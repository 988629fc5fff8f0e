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
/// The type of stores in XML files, which are read and written as a whole.
public let NSXMLStoreType = "XML"

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
/// The option to collect SQLite's statistics about the tables when a store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to rebuild the file of a store without unused space when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to destroy a store although it is open or damaged.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option with the protection of the files, which exists only on Apple's mobile systems. It has no effect here.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option to defer parts of a migration. A store is always migrated completely when it is opened, so that the
/// option has no effect here.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

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
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifiers of the versions of its model in the metadata of a store.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
