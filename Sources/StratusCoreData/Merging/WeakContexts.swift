import Synchronization

/// Contexts that are notified of saves, without being kept alive.
final class WeakContexts: Sendable {
    private struct Reference: Sendable {
        weak var context: NSManagedObjectContext?
    }

    private let references = Mutex<[Reference]>([])

    func add(_ context: NSManagedObjectContext) {
        references.withLock { references in
            references.removeAll { $0.context == nil || $0.context === context }
            references.append(Reference(context: context))
        }
    }

    func remove(_ context: NSManagedObjectContext) {
        references.withLock { references in references.removeAll { $0.context == nil || $0.context === context } }
    }

    /// Merges saved changes into the contexts, each on its own queue.
    func merge(_ changes: SavedChanges, savedBy origin: NSManagedObjectContext) {
        for reference in references.withLock({ $0 }) {
            guard let context = reference.context, context !== origin else { continue }
            context.perform { [weak context] in context?.merge(changes) }
        }
    }
}
