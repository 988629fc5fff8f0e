import CoreData

/// The details of a post, which can be changed by those who may.
@MainActor package final class PostEditor {
    package struct ReadOnly: Error {}

    package let post: Post
    private let sharingProvider: any SharingProvider

    package init(_ post: Post, _ sharingProvider: any SharingProvider) {
        (self.post, self.sharingProvider) = (post, sharingProvider)
    }

    /// Whether the editor is open.
    package var canEdit: Bool { sharingProvider.canEdit(post.objectID) }

    /// The details as lines of a terminal.
    package var lines: [String] {
        let tags = (post.tags as? Set<Tag> ?? []).compactMap(\.name).sorted()
        var lines = [(post.title ?? "") + (canEdit ? "" : " (view only)")]
        if !tags.isEmpty { lines.append("#" + tags.joined(separator: " #")) }
        if let location = post.location { lines.append("at \(location)") }
        return lines + sharingProvider.participants(of: post.objectID).map(\.line).sorted()
    }

    /// Changes the post and saves it.
    /// - Throws: ``ReadOnly`` if the person may not change it.
    package func change(_ body: (Post) -> Void) throws {
        guard canEdit else { throw ReadOnly() }
        body(post)
        try post.managedObjectContext?.save()
    }

    /// Adds a tag. Each post has tags of its own, because all that a post is related to is shared with it.
    package func add(tag name: String) throws {
        try change { post in
            guard let context = post.managedObjectContext else { return }
            let tag = Tag(context: context)
            (tag.name, tag.post) = (name, post)
        }
    }

    /// Deletes the post and saves that.
    /// - Throws: ``ReadOnly`` if the person may not delete it.
    package func delete() throws {
        guard sharingProvider.canDelete(post.objectID) else { throw ReadOnly() }
        let context = post.managedObjectContext
        context?.delete(post)
        try context?.save()
    }
}
