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

/// A post in a file to import.
struct ImportedPost: Decodable {
    struct Location: Decodable {
        let latitude: Double
        let longitude: Double
    }

    let day: String
    let title: String
    let text: String
    let tags: [String]
    let location: Location?
    let notes: [String: String]?

    /// Imports the posts of a JSON file in one save.
    /// - Returns: The number of posts.
    static func importFile(_ path: String, into store: PostStore) throws -> Int {
        let posts = try JSONDecoder().decode([ImportedPost].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        let context = store.container.newBackgroundContext()
        context.transactionAuthor = "import"
        try context.performAndWait {
            for post in posts { try post.insert(into: context) }
            try context.save()
        }
        return posts.count
    }

    private func insert(into context: NSManagedObjectContext) throws {
        let post = Post(context: context)
        post.day = day
        post.title = title
        post.body = text
        post.location = location.map { Place(latitude: $0.latitude, longitude: $0.longitude) }
        for name in tags { post.addToTags(try PostStore.tag(name, in: context)) }
        for (name, text) in notes ?? [:] {
            let attachment = Attachment(context: context)
            attachment.name = name
            attachment.content = Data(text.utf8)
            attachment.post = post
        }
    }
}
