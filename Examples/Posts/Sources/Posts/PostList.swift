import CoreData

/// The posts of one tag, or all posts, newest first and in a section for each day, as lines of a terminal.
@MainActor final class PostList: NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<Post>

    init(_ context: NSManagedObjectContext, tag: String?) throws {
        let request = NSFetchRequest<Post>(entityName: "Post")
        request.sortDescriptors = [
            NSSortDescriptor(key: "day", ascending: false), NSSortDescriptor(key: "title", ascending: true),
        ]
        if let tag { request.predicate = NSPredicate(format: "ANY tags.name == %@", tag) }
        request.relationshipKeyPathsForPrefetching = ["tags"]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "day", cacheName: nil)
        controller.delegate = self
        try controller.performFetch()
    }

    func show() {
        for section in controller.sections ?? [] {
            printLine(section.name)
            for case let post as Post in section.objects ?? [] { printLine("  " + Self.line(post)) }
        }
    }

    /// Returns the post of a title.
    func post(_ title: String) -> Post? { controller.fetchedObjects?.first { $0.title == title } }

    nonisolated func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let post = anObject as? Post else { return }
        switch type {
        case .insert: printLine("+ " + Self.line(post))
        case .delete: printLine("- \(post.title ?? "")")
        case .move, .update: printLine("~ " + Self.line(post))
        @unknown default: break
        }
    }

    private nonisolated static func line(_ post: Post) -> String {
        var parts = [post.title ?? ""]
        let tags = (post.tags as? Set<Tag> ?? []).compactMap(\.name).sorted()
        if !tags.isEmpty { parts.append("#" + tags.joined(separator: " #")) }
        if let location = post.location { parts.append("(\(location))") }
        let attachments = post.attachments?.count ?? 0
        if attachments > 0 { parts.append("[\(attachments) attached]") }
        if post.isFavourite { parts.append("*") }
        return parts.joined(separator: " ")
    }
}
