import CoreData

/// Makes posts of the changes of clocks that Debian's package `tzdata` knows.
struct PostImport {
    let container: NSPersistentContainer
    /// The folder with the files of the package.
    let folder: URL

    /// Imports the changes of all zones in the background.
    /// - Parameter progress: Called after each zone with the number of zones that are done, and that of all zones.
    /// - Returns: The number of posts.
    func run(_ progress: @escaping @Sendable (Int, Int) -> Void) async throws -> Int {
        try await container.performBackgroundTask { context in
            context.transactionAuthor = "import"
            let zones = try TimeZoneTable(folder).zones
            var posts = 0
            for (number, zone) in zones.enumerated() {
                posts += try add(zone, to: context)
                progress(number + 1, zones.count)
            }
            return posts
        }
    }

    private func add(_ zone: TimeZoneTable.Zone, to context: NSManagedObjectContext) throws -> Int {
        let file = try Data(contentsOf: folder.appendingPathComponent(zone.name))
        let ids = try insert(try ClockChange.read(file), of: zone, into: context)
        guard let newest = ids.last else { return 0 }
        let posts = NSSet(array: ids.map(context.object(with:)))
        for country in zone.countries { try PostStore.tag(country, in: context).addToPosts(posts) }
        let attachment = Attachment(context: context)
        attachment.name = zone.name
        attachment.content = file
        attachment.post = context.object(with: newest) as? Post
        try context.save()
        context.reset()
        return ids.count
    }

    /// Inserts a post for each change as a row, without an object in memory. Such an insertion has no relationships.
    private func insert(
        _ changes: [ClockChange], of zone: TimeZoneTable.Zone, into context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        var rest = changes.makeIterator()
        let request = NSBatchInsertRequest(
            entityName: "Post",
            managedObjectHandler: { object in
                guard let post = object as? Post, let change = rest.next() else { return true }
                let (former, new) = (ClockChange.text(change.formerOffset), ClockChange.text(change.offset))
                post.day = change.day
                post.title = "\(zone.name) \(new)"
                post.body = "\(former) became \(new)" + (zone.comment.isEmpty ? "." : " in \(zone.comment).")
                post.location = zone.place
                return false
            })
        request.resultType = .objectIDs
        let result = try context.execute(request) as? NSBatchInsertResult
        return result?.result as? [NSManagedObjectID] ?? []
    }
}
