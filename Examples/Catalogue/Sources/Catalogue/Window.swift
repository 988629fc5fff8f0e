import CoreData

/// The entries and the memos, as lines of a terminal, and the commands that change them.
@MainActor final class Window: NSFetchedResultsControllerDelegate {
    private let container: NSPersistentCloudKitContainer
    private let controller: NSFetchedResultsController<Entry>
    private let memos: NSFetchedResultsController<Memo>
    private var context: NSManagedObjectContext { container.viewContext }

    init(_ store: CatalogueStore) throws {
        container = store.container
        controller = Self.controller("Entry", store.container.viewContext)
        memos = Self.controller("Memo", store.container.viewContext)
        (controller.delegate, memos.delegate) = (self, self)
        try controller.performFetch()
        try memos.performFetch()
        show()
    }

    private static func controller<Object: NSManagedObject>(
        _ entity: String, _ context: NSManagedObjectContext
    ) -> NSFetchedResultsController<Object> {
        let request = NSFetchRequest<Object>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    }

    /// Runs a command. Returns whether the window stays open.
    func run(_ line: String) throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let title = words.count > 1 ? words[1] : ""
        switch words.first {
        case "show": show()
        case "add":
            let entry = Entry(context: context)
            entry.title = title
        case "price": change(title) { $0.price = words.count > 2 ? Int64(words[2]) ?? 0 : 0 }
        case "memo": write(words.count > 2 ? words[2] : "", about: title)
        case "delete": change(title) { context.delete($0) }
        case "quit": return false
        default: printLine("show | add TITLE | price TITLE NUMBER | memo TITLE TEXT | delete TITLE | quit")
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

    /// Writes what only this person sees. The memo has the title of the entry, because objects of two stores cannot be
    /// related.
    private func write(_ text: String, about title: String) {
        let memo = memos.fetchedObjects?.first { $0.title == title } ?? Memo(context: context)
        (memo.title, memo.text) = (title, text)
    }

    private func show() { for entry in controller.fetchedObjects ?? [] { printLine("  " + Self.line(entry)) } }

    nonisolated func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        if let memo = anObject as? Memo { printLine("memo on \(memo.title ?? ""): \(memo.text ?? "")") }
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
