import CoreData

/// A list that obeys commands and follows what other windows save.
@MainActor final class Window {
    private let context: NSManagedObjectContext
    private let list: PostList
    private var token: NSPersistentHistoryToken?
    private var observer: (any NSObjectProtocol)?

    init(_ store: PostStore, tag: String?) throws {
        context = store.container.viewContext
        context.transactionAuthor = "window \(ProcessInfo.processInfo.processIdentifier)"
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
        list = try PostList(context, tag: tag)
        token = store.container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
        observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: store.container.persistentStoreCoordinator, queue: nil
        ) { [weak self] _ in
            Task { @MainActor in try self?.takeOver() }
        }
        list.show()
    }

    /// Shows what others have saved.
    private func takeOver() throws {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
            token = transaction.token
            if transaction.author == context.transactionAuthor { continue }
            context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        }
        context.processPendingChanges()
    }

    /// Runs a command. Returns whether the window stays open.
    func run(_ line: String) throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1] : ""
        switch words.first {
        case "show": list.show()
        case "write":
            group {
                let post = Post(context: context)
                post.day = "2026-11-27"
                post.title = argument
            }
        case "star": if let post = list.post(argument) { group { post.isFavourite.toggle() } }
        case "read": printLine(list.post(argument)?.body ?? "")
        case "delete": if let post = list.post(argument) { group { context.delete(post) } }
        case "undo": context.undo()
        case "redo": context.redo()
        case "save":
            try context.save()
            printLine("saved")
        case "quit": return false
        default: printLine("show, read TITLE, write TITLE, star TITLE, delete TITLE, undo, redo, save, quit")
        }
        return true
    }

    private func group(_ change: () -> Void) {
        context.undoManager?.beginUndoGrouping()
        change()
        context.undoManager?.endUndoGrouping()
    }
}
