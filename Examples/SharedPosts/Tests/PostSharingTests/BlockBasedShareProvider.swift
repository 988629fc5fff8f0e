import CloudKit
import CoreData
import PostSharing

/// Answers of a test in the place of those of the store.
@MainActor final class BlockBasedShareProvider: SharingProvider {
    var isSharedBlock: (NSManagedObjectID) -> Bool = { _ in false }
    var shareBlock: (NSManagedObjectID) -> CKShare? = { _ in nil }
    var participantsBlock: (NSManagedObjectID) -> [Participant] = { _ in [] }
    var canEditBlock: (NSManagedObjectID) -> Bool = { _ in true }
    var canDeleteBlock: (NSManagedObjectID) -> Bool = { _ in true }

    func isShared(_ objectID: NSManagedObjectID) -> Bool { isSharedBlock(objectID) }
    func share(of objectID: NSManagedObjectID) -> CKShare? { shareBlock(objectID) }
    func participants(of objectID: NSManagedObjectID) -> [Participant] { participantsBlock(objectID) }
    func canEdit(_ objectID: NSManagedObjectID) -> Bool { canEditBlock(objectID) }
    func canDelete(_ objectID: NSManagedObjectID) -> Bool { canDeleteBlock(objectID) }
}
