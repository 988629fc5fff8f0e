import CloudKit
import CoreData

/// A window with the list and the editor. It obeys commands, and shows what others change.
@MainActor package final class Window {
    private let stack: CoreDataStack
    private let list: PostList
    private var editor: PostEditor?
    private var shown: [PostList.Cell] = []
    private var observers: [any NSObjectProtocol] = []

    package init(_ stack: CoreDataStack) throws {
        self.stack = stack
        list = PostList(stack.context, stack)
        observers = [
            (Notification.Name.NSManagedObjectContextObjectsDidChange, stack.context as NSObject),
            // Shares and rights change without any object.
            (NSPersistentCloudKitContainer.eventChangedNotification, stack.container),
        ].map { name, object in
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { [weak self] _ in
                Task { @MainActor in try self?.update() }
            }
        }
        try update()
    }

    /// Prints the lines of the list that are new, changed or gone.
    private func update() throws {
        let cells = try list.cells()
        let before = Dictionary(uniqueKeysWithValues: shown.map { ($0.objectID, $0.text) })
        for cell in cells where before[cell.objectID] != cell.text {
            printLine((before[cell.objectID] == nil ? "+ " : "~ ") + cell.text)
        }
        let known = Set(cells.map(\.objectID))
        for cell in shown where !known.contains(cell.objectID) { printLine("- " + cell.text) }
        shown = cells
    }

    /// Runs a command. Returns whether the window stays open.
    package func run(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1] : ""
        switch words.first {
        case "list": for cell in try list.cells() { printLine(cell.text + (cell.canDelete ? "" : " (view only)")) }
        case "new": try create(argument)
        case "open":
            editor = try list.post(argument).map { PostEditor($0, stack) }
            editor?.lines.forEach(printLine)
            if editor == nil { printLine("no post has this title") }
        case "accept": if let link = URL(string: argument) { try await attempt { try await stack.accept(link) } }
        case "quit": return false
        default:
            if let editor, let command = words.first { try await edit(command, argument, editor) } else { help() }
        }
        return true
    }

    private func edit(_ command: String, _ argument: String, _ editor: PostEditor) async throws {
        try await attempt {
            switch command {
            case "title": try editor.change { $0.title = argument }
            case "tag": try editor.add(tag: argument)
            case "place":
                let degrees = argument.split(separator: " ").compactMap { Double($0) }
                guard degrees.count == 2 else { return help() }
                try editor.change { $0.location = Place(latitude: degrees[0], longitude: degrees[1]) }
            case "delete": try editor.delete()
            case "read", "write": try await share(editor.post, command == "read" ? .readOnly : .readWrite, argument)
            case "leave": try await stack.leave(editor.post)
            default: help()
            }
        }
    }

    private func create(_ title: String) throws {
        let post = Post(context: stack.context)
        // Only objects that are related to shared ones can be in the shared store.
        stack.context.assign(post, to: try stack.store(.private))
        post.title = title
        try stack.context.save()
        editor = PostEditor(post, stack)
    }

    private func share(_ post: Post, _ permission: CKShare.ParticipantPermission, _ addresses: String) async throws {
        let people = addresses.split(separator: " ").map(String.init)
        let share = try await stack.share(post, permission, with: people)
        try update()
        printLine("link: \(share.url?.absoluteString ?? "")")
    }

    /// Does what a command says. A failure is shown, and the window stays open.
    private func attempt(_ body: @MainActor () async throws -> Void) async throws {
        do {
            try await body()
        } catch is PostEditor.ReadOnly {
            printLine("this post can only be read")
        } catch {
            printLine("! \(error.localizedDescription)")
        }
        try update()
    }

    private func help() {
        printLine("list | new TITLE | open TITLE | accept LINK | quit")
        printLine("of the open post: title TEXT | tag NAME | place LATITUDE LONGITUDE | delete | leave")
        printLine("                  write ADDRESS… | read ADDRESS…")
    }
}
