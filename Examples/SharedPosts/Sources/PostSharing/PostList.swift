import CoreData

/// The list of all posts, by their titles.
@MainActor package final class PostList {
    /// A line of the list.
    package struct Cell: Equatable {
        package let objectID: NSManagedObjectID
        /// The title, after a sign if the post is in a share.
        package let text: String
        /// Whether the post can be deleted from the list.
        package let canDelete: Bool
    }

    /// The sign before the titles of posts that are in a share.
    package static let sharedSign = "👥 "

    private let context: NSManagedObjectContext
    /// The answers to questions about shares.
    package var sharingProvider: any SharingProvider

    package init(_ context: NSManagedObjectContext, _ sharingProvider: any SharingProvider) {
        (self.context, self.sharingProvider) = (context, sharingProvider)
    }

    /// Returns the lines as they are now.
    package func cells() throws -> [Cell] { try posts().map(cell) }

    /// Returns a post with a title.
    package func post(_ title: String) throws -> Post? { try posts().first { $0.title == title } }

    private func posts() throws -> [Post] {
        let request = NSFetchRequest<Post>(entityName: "Post")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request)
    }

    private func cell(_ post: Post) -> Cell {
        let sign = sharingProvider.isShared(post.objectID) ? Self.sharedSign : ""
        return Cell(
            objectID: post.objectID, text: sign + (post.title ?? ""),
            canDelete: sharingProvider.canDelete(post.objectID))
    }
}
