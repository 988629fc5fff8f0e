import CloudKit
import CoreData

// The answers of the stores. They come from the files, without asking the server.
extension CoreDataStack: SharingProvider {
    package func isShared(_ objectID: NSManagedObjectID) -> Bool {
        // Everything in the shared store is somebody else's. Of the person's own posts some are shared.
        objectID.persistentStore?.url == url(of: .shared) || share(of: objectID) != nil
    }

    package func share(of objectID: NSManagedObjectID) -> CKShare? {
        guard !objectID.isTemporaryID else { return nil }
        do {
            return try container.fetchShares(matching: [objectID])[objectID]
        } catch {
            printLine("! the shares cannot be read: \(error.localizedDescription)")
            return nil
        }
    }

    package func participants(of objectID: NSManagedObjectID) -> [Participant] {
        guard let share = share(of: objectID) else { return [] }
        let own = share.currentUserParticipant
        return share.participants.map { Participant($0, isCurrentUser: $0 == own) }
    }

    package func canEdit(_ objectID: NSManagedObjectID) -> Bool {
        container.canUpdateRecord(forManagedObjectWith: objectID)
    }

    package func canDelete(_ objectID: NSManagedObjectID) -> Bool {
        container.canDeleteRecord(forManagedObjectWith: objectID)
    }
}
