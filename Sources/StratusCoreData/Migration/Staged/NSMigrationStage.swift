import Foundation

/// A step of a staged migration.
open class NSMigrationStage: NSObject {
    /// A name for messages.
    open var label: String?

    override init() { super.init() }
}

/// Versions of a model between which migrations are inferred.
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, the oldest first.
    public let versionChecksums: [String]

    /// Makes a stage for versions.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A step from one version of a model to the next, with work of the program before and after it.
open class NSCustomMigrationStage: NSMigrationStage {
    /// The version before the step.
    public let currentModel: NSManagedObjectModelReference

    /// The version after the step.
    public let nextModel: NSManagedObjectModelReference

    /// Called with the store as it is before the step: ``NSStagedMigrationManager/container`` has it open.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Called with the store as it is after the step: ``NSStagedMigrationManager/container`` has it open.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Makes a step between two versions.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}

/// The steps from all former versions of a model to the current one.
open class NSStagedMigrationManager: NSObject {
    /// The steps, in their order.
    public let stages: [NSMigrationStage]

    /// The container with the store, while a handler of a stage runs.
    public internal(set) var container: NSPersistentContainer?

    /// Makes a manager of steps, in their order.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The option with the ``NSStagedMigrationManager`` that migrates the store when it is opened.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
