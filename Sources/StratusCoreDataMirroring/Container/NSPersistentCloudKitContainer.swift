import Foundation
import StratusCloudKit
import StratusCoreData
import Synchronization

// `@unchecked Sendable`: a lock protects the mirrors, and the superclass answers for its own properties.
/// A persistent container whose stores are kept the same as databases of CloudKit.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    private let mirrors = Mutex<[StoreMirror]>([])
    private let controls = Mutex<MirroringControls?>(nil)

    var openMirrors: [StoreMirror] { mirrors.withLock { $0 } }

    /// The control of a simulation over the mirroring of stores that are loaded afterwards; nil for none.
    package var mirroringControls: MirroringControls? {
        get { controls.withLock { $0 } }
        set { controls.withLock { $0 = newValue } }
    }

    /// Makes a container for a model. The store of the first description is mirrored in the private database of the
    /// default container of CloudKit, if there is one.
    public override init(name: String, managedObjectModel model: NSManagedObjectModel) {
        super.init(name: name, managedObjectModel: model)
        if let identifier = CKContainer.default().containerIdentifier {
            persistentStoreDescriptions.first?.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
                containerIdentifier: identifier)
        }
    }

    deinit { for mirror in openMirrors { mirror.close() } }

    /// Opens the stores of the descriptions, calls the block once for each of them, and begins to mirror those with
    /// options for CloudKit.
    @preconcurrency
    open override func loadPersistentStores(
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            guard let options = description.cloudKitContainerOptions else {
                load(description, completionHandler: block)
                continue
            }
            do {
                let plan = try MirrorPlan(description, options, managedObjectModel)
                load(description) { [weak self] description, error in
                    if error == nil { self?.mirror(plan) }
                    block(description, error)
                }
            } catch {
                block(description, error)
            }
        }
    }

    /// Makes the server of a development environment learn the record types of all mirrored stores. Blocks until that is
    /// done. Programs call it while they are developed, after they have loaded the stores.
    /// - Throws: The reason why the model cannot be mirrored or the server does not learn it, as in a production
    ///   environment and without an account.
    open func initializeCloudKitSchema(
        options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
        let plans = openMirrors.map(\.plan)
        guard !plans.isEmpty else {
            throw CocoaError.make(.coreData, "no store with options for CloudKit is loaded")
        }
        for plan in plans { try SchemaInitialization(plan: plan, options: options).run() }
    }

    private func mirror(_ plan: MirrorPlan) {
        guard let store = plan.store(in: persistentStoreCoordinator) else { return }
        let mirror = StoreMirror(store, plan, persistentStoreCoordinator, mirroringControls) { [weak self] event in
            NotificationCenter.default.post(
                name: Self.eventChangedNotification, object: self,
                userInfo: [Self.eventNotificationUserInfoKey: event])
        }
        mirrors.withLock { $0.append(mirror) }
        mirror.start()
    }
}

/// The facts that are known before a store is opened to be mirrored.
struct MirrorPlan: Sendable {
    let options: NSPersistentCloudKitContainerOptions
    let scope: CKDatabase.Scope
    let container: CKContainer
    let model: MirroredModel

    /// - Throws: An error with the code 134060 if the model cannot be mirrored.
    init(
        _ description: NSPersistentStoreDescription, _ options: NSPersistentCloudKitContainerOptions,
        _ model: NSManagedObjectModel
    ) throws {
        self.options = options
        scope = options.databaseScope
        // Here, and not when the store is open, so that a container of the caller's task is found.
        container = CKContainer(identifier: options.containerIdentifier)
        self.model = try MirroredModel(model, configuration: description.configuration, scope: scope)
        guard (description.options[NSPersistentHistoryTrackingKey] as? NSNumber)?.boolValue ?? true else {
            throw CocoaError.make(
                .coreData, "a store that is mirrored needs NSPersistentHistoryTrackingKey, which is set to false")
        }
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
    }

    /// Returns the open store that the options belong to.
    func store(in coordinator: NSPersistentStoreCoordinator) -> NSPersistentStore? {
        coordinator.persistentStores.last {
            $0.options?[NSPersistentStoreDescription.cloudKitOptionsKey] as AnyObject === options
        }
    }
}
