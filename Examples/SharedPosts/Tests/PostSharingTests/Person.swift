import CloudKit
import CoreData
import PostSharing
import StratusTesting
import Testing

/// A person with a device on which the app runs.
@MainActor final class Person {
    let stack: CoreDataStack
    let list: PostList
    private let folder: URL

    init(_ name: String, in cloud: LocalCloud) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-posts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let profile = LocalCloud.Profile(emailAddress: "\(name)@example.org", givenName: name.capitalized)
        stack = try cloud.account(name, profile).device("phone").use { [folder] in try CoreDataStack(folder) }
        list = PostList(stack.context, stack)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a post and shares it.
    func share(
        _ title: String, _ permission: CKShare.ParticipantPermission, with names: String...
    ) async throws -> URL {
        let post = Post(context: stack.context)
        stack.context.assign(post, to: try stack.store(.private))
        post.title = title
        try stack.context.save()
        let share = try await stack.share(post, permission, with: names.map { "\($0)@example.org" })
        return try #require(share.url)
    }

    /// The editor of the post with a title.
    func editor(_ title: String) throws -> PostEditor { PostEditor(try #require(try list.post(title)), stack) }

    /// The lines of the list.
    var lines: [String] { get throws { try list.cells().map(\.text) } }

    /// Waits until something is so. It is looked at whenever an import or export begins or ends, and when objects change.
    func wait(until isSo: () throws -> Bool) async throws {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let center = NotificationCenter.default
        let names = [
            NSPersistentCloudKitContainer.eventChangedNotification,
            Notification.Name.NSManagedObjectContextObjectsDidChange,
        ]
        let observers = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { _ in continuation.yield() }
        }
        defer { observers.forEach(center.removeObserver) }
        if try isSo() { return }
        for await _ in signals where try isSo() { return }
    }
}
