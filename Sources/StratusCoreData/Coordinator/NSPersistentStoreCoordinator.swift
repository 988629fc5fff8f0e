import Foundation

// The model does not change once it is in use.
/// The owner of the model that contexts and their objects use.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model.
    public let managedObjectModel: NSManagedObjectModel

    /// Makes a coordinator for a model, which can no longer be changed then.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        model.freeze()
        super.init()
        ModelsInUse.add(model)
    }
}
