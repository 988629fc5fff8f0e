import CloudKit
import CoreData

/// Everything that the list and the editor ask about shares. Tests put their own answers in the place of the store's.
@MainActor package protocol SharingProvider: AnyObject {
    /// Whether a post is in a share.
    func isShared(_ objectID: NSManagedObjectID) -> Bool

    /// Returns the share that a post is in.
    func share(of objectID: NSManagedObjectID) -> CKShare?

    /// Returns the people who take part in the share of a post, the owner among them.
    func participants(of objectID: NSManagedObjectID) -> [Participant]

    /// Whether the person who is signed in may change a post.
    func canEdit(_ objectID: NSManagedObjectID) -> Bool

    /// Whether the person who is signed in may delete a post.
    func canDelete(_ objectID: NSManagedObjectID) -> Bool
}
