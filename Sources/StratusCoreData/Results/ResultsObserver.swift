import Foundation
import StratusCompatibility

// Everything is used on the queue of the context, on which the context posts its notifications, too.
/// The results of a controller, which follow the changes of the context.
final class ResultsObserver: @unchecked Sendable {
    let context: NSManagedObjectContext
    let keyPath: String?
    private(set) var current: ResultSections?
    weak var delegate: (any NSFetchedResultsControllerDelegate)?
    /// Called with each change of the results; nil if nobody follows them.
    var report: ((ResultChanges) -> Void)?

    private var settings = FetchSettings()
    private var entity: NSEntityDescription?
    private var observer: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext, _ keyPath: String?) {
        self.context = context
        self.keyPath = keyPath
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    func fetch(_ settings: FetchSettings, _ cacheName: String?) throws {
        entity = try context.entity(of: settings)
        let cache = context.hasChanges ? nil : SectionCache(cacheName, settings, keyPath, context)
        let objects = try context.find(settings)
        // Not if a store has changed meanwhile.
        let isUsable = cache != nil && cache == SectionCache(cacheName, settings, keyPath, context)
        if isUsable, let sections = cache?.read(), let cached = ResultSections(objects, sections) {
            current = cached
        } else {
            let made = ResultSections(objects, by: keyPath)
            current = made
            // The cache has only numbers of objects, for sections that follow each other as the objects do.
            if isUsable, made.objects == objects { cache?.write(made.sections) }
        }
        self.settings = settings
        guard observer == nil else { return }
        // The notification is posted and handled on the queue of the context.
        let change: @Sendable (Notification) -> Void = { [weak self] in self?.follow($0.userInfo ?? [:]) }
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil, using: change)
    }

    private func follow(_ userInfo: [AnyHashable: Any]) {
        guard let current, let report else { return }
        let isWhole = userInfo[NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue] != nil
        var changed: Set<NSManagedObject> = []
        for key: NSManagedObjectContext.NotificationKey in [
            .insertedObjects, .updatedObjects, .refreshedObjects, .invalidatedObjects,
        ] {
            changed.formUnion(userInfo[key.rawValue] as? Set<NSManagedObject> ?? [])
        }
        let deleted =
            userInfo[NSManagedObjectContext.NotificationKey.deletedObjects.rawValue] as? Set<NSManagedObject> ?? []
        guard let new = isWhole ? try? fetched() : results(after: changed, deleted, current) else { return }
        let changes = ResultChanges(from: current, to: new, changed: changed)
        self.current = new
        if !changes.isEmpty { report(changes) }
    }

    private func fetched() throws -> ResultSections { ResultSections(try context.find(settings), by: keyPath) }

    /// Returns the results after changes of objects; nil if nothing in them can have changed.
    private func results(
        after changed: Set<NSManagedObject>, _ deleted: Set<NSManagedObject>, _ current: ResultSections
    ) -> ResultSections? {
        guard let entity else { return nil }
        let changed = changed.filter { settings.concerns($0.entity, entity) }
        let deleted = deleted.filter { settings.concerns($0.entity, entity) }
        guard !changed.isEmpty || !deleted.isEmpty else { return nil }
        // Other objects come into a part of the results, or leave it.
        if settings.limit > 0 || settings.offset > 0 { return try? fetched() }
        let predicate = settings.predicate(in: context)
        let matching = changed.subtracting(deleted).filter {
            !$0.isDeleted && $0.managedObjectContext != nil && predicate?.evaluate(with: $0) ?? true
        }
        let order = ObjectOrder(settings.sortDescriptors ?? [])
        let inOrderOfKeys = matching.sorted { $0.objectID.number < $1.objectID.number }
        let objects = order.replace(changed.union(deleted), in: current.objects, by: inOrderOfKeys)
        return ResultSections(objects, by: keyPath)
    }
}
