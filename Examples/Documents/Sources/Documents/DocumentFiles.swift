import UIKit

/// Changes files of documents in coordination with the documents that are open, here and in other programs.
enum DocumentFiles {
    private static let queue = OperationQueue()

    /// Renames a document. Those that are open follow.
    static func rename(_ url: URL, to newURL: URL) async throws {
        let source = NSFileAccessIntent.writingIntent(with: url, options: .forMoving)
        let target = NSFileAccessIntent.writingIntent(with: newURL)
        try await coordinate([source, target]) { coordinator in
            try FileManager.default.moveItem(at: source.url, to: target.url)
            coordinator.item(at: source.url, didMoveTo: target.url)
        }
    }

    /// Deletes a document on all devices. Those that are open close.
    static func delete(_ url: URL) async throws {
        let intent = NSFileAccessIntent.writingIntent(with: url, options: .forDeleting)
        try await coordinate([intent]) { _ in try FileManager.default.removeItem(at: intent.url) }
    }

    /// The versions to choose from: the current one, then those in conflict with it.
    static func versions(of url: URL) -> [NSFileVersion] {
        guard let current = NSFileVersion.currentVersionOfItem(at: url) else { return [] }
        return [current] + (NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [])
    }

    /// Ends a conflict on all devices.
    /// - Parameter version: One of ``versions(of:)``. It becomes the current one, and the others are removed.
    static func resolveConflict(of url: URL, keeping version: NSFileVersion) async throws {
        let intent = NSFileAccessIntent.writingIntent(with: url)
        try await coordinate([intent]) { _ in
            let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: intent.url) ?? []
            if version.isConflict { try version.replaceItem(at: intent.url) }
            for conflict in conflicts { conflict.isResolved = true }
            try NSFileVersion.removeOtherVersionsOfItem(at: intent.url)
        }
    }

    private static func coordinate(
        _ intents: [NSFileAccessIntent], _ body: @escaping @Sendable (NSFileCoordinator) throws -> Void
    ) async throws {
        let coordinator = NSFileCoordinator()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            coordinator.coordinate(with: intents, queue: queue) { error in
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        try body(coordinator)
                    })
            }
        }
    }
}
