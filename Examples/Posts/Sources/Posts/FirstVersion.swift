import CoreData

/// Stores as the first version of the program wrote them, to show that this version opens them.
enum FirstVersion {
    /// Makes a store of the first version of the model with one post.
    static func makeStore(_ path: String) throws {
        guard let models = Bundle.module.url(forResource: "Posts", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: models.appendingPathComponent("Posts.mom"))
        else { throw CocoaError(.fileNoSuchFile) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: URL(fileURLWithPath: path),
            options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let post = NSEntityDescription.insertNewObject(forEntityName: "Post", into: context)
            post.setValue("2025-11-30", forKey: "day")
            post.setValue("First snow", forKey: "title")
            post.setValue("Gone by noon.", forKey: "text")
            post.setValue(Place(latitude: 54.32, longitude: 10.14), forKey: "location")
            try context.save()
        }
    }
}
