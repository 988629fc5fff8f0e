import CoreData
import Foundation
import Testing

/// Code of Core Data in the language mode of Swift 5, with the classes that Xcode wrote and those that the plugin writes.
@Suite struct DiaryTests {
    @Test func closuresCaptureWhatTheyLike() async throws {
        let stack = DiaryStack(inMemory: true)
        #expect(stack.loadError == nil)
        let ids = try stack.add(["a", "b", "c"], tag: "home")
        #expect(ids.count == 3 && ids.allSatisfy { !$0.isTemporaryID })
        #expect(stack.savedCounts == [4])
        let moods = await withCheckedContinuation { continuation in
            stack.moods(tagged: "home") { continuation.resume(returning: $0) }
        }
        #expect(moods == [2, 1, 0])
    }

    @Test func aListFollowsItsContext() throws {
        let stack = DiaryStack(inMemory: true)
        let context = stack.container.newBackgroundContext()
        var list: DiaryList!
        try context.performAndWait {
            list = DiaryList(context)
            try list.controller.performFetch()
            for text in ["b", "a"] { Entry(context: context).text = text }
            context.processPendingChanges()
            let first = try #require(list.controller.fetchedObjects?.first)
            #expect(first.text == "a" && first.date == Date(timeIntervalSinceReferenceDate: 0))
            context.delete(first)
            context.processPendingChanges()
        }
        #expect(Set(list.changes.prefix(2)) == ["insert a at 0", "insert b at 1"])
        #expect(list.changes.last == "delete a")
    }

    @Test func objectsAreReadAgainFromTheFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let id = try #require(try DiaryStack(folder: folder).add(["kept"], tag: "t").first)
        let stack = DiaryStack(folder: folder)
        let coordinator = stack.container.persistentStoreCoordinator
        let known = coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        var tags: [String] = []
        stack.background.performAndWait {
            guard let id = known, let entry = try? stack.background.existingObject(with: id) as? Entry else { return }
            for case let tag as Tag in entry.tags?.allObjects ?? [] { tags.append(tag.name ?? "") }
        }
        #expect(tags == ["t"])
    }
}
