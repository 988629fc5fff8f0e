import CoreData
import PostSharing
import Testing

/// The list and the editor with answers of the test, without any server.
@MainActor @Suite struct PostListTests {
    private let container: NSPersistentContainer
    private let provider = BlockBasedShareProvider()
    private let posts: [Post]

    init() throws {
        container = NSPersistentContainer(name: "SharedPosts")
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        posts = (0..<6).map { [container] number in
            let post = Post(context: container.viewContext)
            post.title = "Post \(number)"
            return post
        }
        try container.viewContext.save()
    }

    private func list() -> PostList { PostList(container.viewContext, provider) }

    @Test func sharedPostsHaveASignAndOthersDoNot() throws {
        let sharedObjectIDs = Set(posts.prefix(3).map(\.objectID))
        provider.isSharedBlock = sharedObjectIDs.contains
        let cells = try list().cells()
        #expect(cells.count == 6)
        for cell in cells {
            #expect(cell.text.hasPrefix(PostList.sharedSign) == sharedObjectIDs.contains(cell.objectID))
        }
    }

    @Test func postsThatCannotBeDeletedAreMarked() throws {
        let readOnly = posts[4].objectID
        provider.canDeleteBlock = { $0 != readOnly }
        #expect(try list().cells().map(\.canDelete) == [true, true, true, true, false, true])
        #expect(throws: PostEditor.ReadOnly.self) { try PostEditor(posts[4], provider).delete() }
        try PostEditor(posts[5], provider).delete()
        #expect(try list().cells().map(\.text) == (0..<5).map { "Post \($0)" })
    }

    @Test func theEditorIsClosedToReaders() throws {
        let readOnly = posts[1].objectID
        provider.canEditBlock = { $0 != readOnly }
        let editor = PostEditor(posts[1], provider)
        #expect(throws: PostEditor.ReadOnly.self) { try editor.change { $0.title = "Mine" } }
        #expect(throws: PostEditor.ReadOnly.self) { try editor.add(tag: "mine") }
        #expect(editor.lines == ["Post 1 (view only)"])
        let open = PostEditor(posts[0], provider)
        try open.change { $0.location = Place(latitude: 54.32, longitude: 10.14) }
        try open.add(tag: "sea")
        #expect(open.lines == ["Post 0", "#sea", "at 54.32, 10.14"])
    }

    @Test func theDetailsNameTheParticipants() {
        provider.participantsBlock = { _ in
            [
                Participant(name: "you", role: "owner", permission: "read-write", acceptance: "accepted"),
                Participant(name: "Mary", role: "private participant", permission: "read-only", acceptance: "invited"),
            ]
        }
        #expect(
            PostEditor(posts[0], provider).lines == [
                "Post 0", "Mary: private participant, read-only, invited", "you: owner, read-write, accepted",
            ])
    }
}
