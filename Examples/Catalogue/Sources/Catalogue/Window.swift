import CoreData

/// The entries, as lines of a terminal, and the commands that change them.
@MainActor final class Window: NSFetchedResultsControllerDelegate {
    private let container: NSPersistentCloudKitContainer
    private let controller: NSFetchedResultsController<Entry>
    private var context: NSManagedObjectContext { container.viewContext }

    init(_ store: CatalogueStore) throws {
        container = store.container
        let request = NSFetchRequest<Entry>(entityName: "Entry")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: store.container.viewContext, sectionNameKeyPath: nil,
            cacheName: nil)
        controller.delegate = self
        try controller.performFetch()
        show()
    }

    /// Runs a command. Returns whether the window stays open.
    func run(_ line: String) throws -> Bool {
        let words = line.split(separator: " ").map(String.init)
        let title = words.count > 1 ? words[1] : ""
        switch words.first {
        case "show": show()
        case "add":
            let entry = Entry(context: context)
            entry.title = title
        case "price": change(title) { $0.price = words.count > 2 ? Int64(words[2]) ?? 0 : 0 }
        case "delete": change(title) { context.delete($0) }
        case "quit": return false
        default: printLine("show | add TITLE | price TITLE NUMBER | delete TITLE | quit")
        }
        if context.hasChanges { try context.save() }
        return true
    }

    /// Changes an entry. A window with a button would hide it where the person has no right; this one says so and tries.
    private func change(_ title: String, _ body: (Entry) -> Void) {
        guard let entry = controller.fetchedObjects?.first(where: { $0.title == title }) else {
            return printLine("no entry is called \(title)")
        }
        if !container.canUpdateRecord(forManagedObjectWith: entry.objectID) { printLine("\(title) is somebody else's") }
        body(entry)
    }

    private func show() { for entry in controller.fetchedObjects ?? [] { printLine("  " + Self.line(entry)) } }

    nonisolated func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let entry = anObject as? Entry else { return }
        switch type {
        case .insert: printLine("+ " + Self.line(entry))
        case .delete: printLine("- \(entry.title ?? "")")
        case .move, .update: printLine("~ " + Self.line(entry))
        @unknown default: break
        }
    }

    private nonisolated static func line(_ entry: Entry) -> String { "\(entry.title ?? "") \(entry.price)" }
}
