import UIKit

/// The documents of a person, as a query finds them: all the time, also those that are not on this device yet.
@MainActor final class DocumentList {
    /// The documents in the order of their names, each with what is to be said of it.
    private(set) var lines: [String] = []

    private let query = NSMetadataQuery()
    private let didChange: ([String]) -> Void

    /// - Parameter didChange: Called with ``lines`` at first, and when they have changed.
    init(didChange: @escaping ([String]) -> Void) {
        self.didChange = didChange
        query.predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.notificationBatchingInterval = 0.1
        for name in [Notification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
            _ = NotificationCenter.default.addObserver(forName: name, object: query, queue: .main) { [weak self] note in
                let isFirst = note.name == .NSMetadataQueryDidFinishGathering
                MainActor.assumeIsolated { self?.update(isFirst: isFirst) }
            }
        }
    }

    /// Begins to search.
    func start() { query.start() }

    private func update(isFirst: Bool) {
        query.disableUpdates()
        defer { query.enableUpdates() }
        let found = query.results.compactMap { $0 as? NSMetadataItem }.map(Self.line)
        // Most updates are about uploads and downloads, of which nothing is shown here.
        guard isFirst || found != lines else { return }
        lines = found
        didChange(lines)
    }

    private static func line(_ item: NSMetadataItem) -> String {
        let name = item.value(forAttribute: NSMetadataItemDisplayNameKey) as? String ?? "?"
        let status = item.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
        let hasConflict = item.value(forAttribute: NSMetadataUbiquitousItemHasUnresolvedConflictsKey) as? Bool
        if status == NSMetadataUbiquitousItemDownloadingStatusNotDownloaded { return name + " (not on this device)" }
        return hasConflict == true ? name + " (in conflict)" : name
    }
}
