import CoreData

/// The file with the posts. It keeps a history, so that windows follow what other programs save.
struct PostStore {
    let container: NSPersistentContainer

    init(_ path: String) throws {
        container = NSPersistentContainer(name: "Posts")
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.persistentStoreDescriptions = [description]
        nonisolated(unsafe) var failure: (any Error)?
        // The store is opened before the call returns.
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        container.viewContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }

    /// Returns the tag of a name, which is made if it is new.
    static func tag(_ name: String, in context: NSManagedObjectContext) throws -> Tag {
        let request = NSFetchRequest<Tag>(entityName: "Tag")
        request.predicate = NSPredicate(format: "name == %@", name)
        request.fetchLimit = 1
        if let known = try context.fetch(request).first { return known }
        let tag = Tag(context: context)
        tag.name = name
        return tag
    }
}
