import CoreData

/// A stack as many apps have it: a class that is not Sendable, with closures that capture variables and objects.
final class DiaryStack {
    let container: NSPersistentContainer
    private(set) var loadError: Error?
    var savedCounts: [Int] = []
    private var observer: NSObjectProtocol?

    lazy var background: NSManagedObjectContext = {
        let context = container.newBackgroundContext()
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        context.automaticallyMergesChangesFromParent = true
        return context
    }()

    init(inMemory: Bool = false, folder: URL? = nil) {
        container = NSPersistentContainer(name: "Diary")
        if inMemory {
            container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
        } else if let folder = folder {
            container.persistentStoreDescriptions = [
                NSPersistentStoreDescription(url: folder.appendingPathComponent("Diary.sqlite"))
            ]
        }
        var loaded = 0
        container.loadPersistentStores { _, error in
            loaded += 1
            self.loadError = error
        }
        precondition(loaded == 1)
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: background, queue: nil
        ) { [unowned self] notification in
            let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
            self.savedCounts.append(inserted.count)
        }
    }

    deinit {
        if let observer = observer { NotificationCenter.default.removeObserver(observer) }
    }

    func add(_ texts: [String], tag name: String) throws -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        var failure: Error?
        background.performAndWait {
            var entries: [Entry] = []
            let tag = Tag(context: background)
            tag.name = name
            for (mood, text) in texts.enumerated() {
                let entry = Entry(context: background)
                entry.text = text
                entry.mood = Int16(mood)
                entry.addToTags(tag)
                entries.append(entry)
            }
            do {
                try background.obtainPermanentIDs(for: entries)
                ids = entries.map { $0.objectID }
                try background.save()
            } catch {
                failure = error
            }
        }
        if let failure = failure { throw failure }
        return ids
    }

    func moods(tagged name: String, completion: @escaping ([Int16]) -> Void) {
        container.performBackgroundTask { context in
            let request: NSFetchRequest<Entry> = Entry.fetchRequest()
            request.predicate = NSPredicate(format: "ANY tags.name == %@", name)
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Entry.mood, ascending: false)]
            let entries = (try? context.fetch(request)) ?? []
            completion(entries.map { $0.mood })
        }
    }
}
