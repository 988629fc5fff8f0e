import CloudKit
import CoreData

/// The posts of a device, in two files: those of the person, and those that others share with the person. One context sees
/// both.
@MainActor package final class CoreDataStack {
    package let container: NSPersistentCloudKitContainer
    /// The container that has the databases of both files.
    package let cloud = CKContainer.default()
    private let folder: URL

    package var context: NSManagedObjectContext { container.viewContext }

    /// Opens the files of a folder.
    package init(_ folder: URL) throws {
        self.folder = folder
        container = NSPersistentCloudKitContainer(name: "SharedPosts")
        container.persistentStoreDescriptions = [description(of: .private), description(of: .shared)]
        nonisolated(unsafe) var failure: (any Error)?
        // The stores are opened before the call returns.
        container.loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }

    private func description(of scope: CKDatabase.Scope) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: url(of: scope))
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: cloud.containerIdentifier ?? "")
        options.databaseScope = scope
        description.cloudKitContainerOptions = options
        return description
    }

    func url(of scope: CKDatabase.Scope) -> URL {
        folder.appendingPathComponent(scope == .shared ? "shared.sqlite" : "private.sqlite")
    }

    /// Returns the open store of a database.
    package func store(_ scope: CKDatabase.Scope) throws -> NSPersistentStore {
        guard let store = container.persistentStoreCoordinator.persistentStore(for: url(of: scope)) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return store
    }

    // MARK: - Sharing

    /// Shares a post, which has to be the person's own, and invites people by their addresses. Everybody who is in the share
    /// already stays in it.
    package func share(
        _ post: Post, _ permission: CKShare.ParticipantPermission, with addresses: [String]
    ) async throws -> CKShare {
        var share = try await knownOrNewShare(of: post)
        let people = try await container.fetchParticipants(
            matching: CKUserIdentity.LookupInfo.lookupInfos(withEmails: addresses), into: store(.private))
        while true {
            for participant in people {
                participant.permission = permission
                share.addParticipant(participant)
            }
            do {
                return try await container.persistUpdatedShare(share, in: store(.private))
            } catch let error as CKError where error.code == .serverRecordChanged {
                // Somebody has accepted meanwhile, and the share is tried again as it is now.
                guard let current = error.serverRecord as? CKShare else { throw error }
                share = current
            }
        }
    }

    private func knownOrNewShare(of post: Post) async throws -> CKShare {
        if let known = share(of: post.objectID) { return known }
        let share = try await container.share([post], to: nil).1
        share[CKShare.SystemFieldKey.title] = post.title
        return share
    }

    /// Accepts the invitation that a link leads to. On Apple's systems the delegate of the application gets its metadata.
    package func accept(_ link: URL) async throws {
        let metadata = try await cloud.shareMetadata(for: link)
        try await container.acceptShareInvitations(from: [metadata], into: store(.shared))
    }

    /// Leaves the share of a post; its owner ends it.
    package func leave(_ post: Post) async throws {
        guard let zoneID = share(of: post.objectID)?.recordID.zoneID else { return }
        try await container.purgeObjectsAndRecordsInZone(with: zoneID, in: post.objectID.persistentStore)
    }
}
