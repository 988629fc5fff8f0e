import CoreData

/// A list of entries as a view controller has it: the delegate of a controller of results, not isolated.
final class DiaryList: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<Entry>
    var changes: [String] = []

    init(_ context: NSManagedObjectContext) {
        let request = Entry.fetchRequest() as NSFetchRequest<Entry>
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Entry.text), ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let entry = anObject as! Entry
        switch type {
        case .insert: changes.append("insert \(entry.text ?? "") at \(newIndexPath!.item)")
        case .delete: changes.append("delete \(entry.text ?? "")")
        case .move, .update: changes.append("change \(entry.text ?? "")")
        @unknown default: break
        }
    }
}
