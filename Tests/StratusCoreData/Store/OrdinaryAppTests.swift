import Foundation
import StratusCoreData
import Testing

/// The code for the stack that apps have, which compiles without changes for Linux.
@Suite struct OrdinaryAppTests {
    @Test @MainActor func theStackOfAnAppLoadsAndHoldsObjects() async throws {
        let stack = try AppStack()
        #expect(stack.container.persistentStoreCoordinator.persistentStores.map(\.configurationName) == ["People"])
        #expect(try await stack.addAuthor(named: "Ada") == "Ada")
        #expect(await stack.container.performBackgroundTask { context in context.insertedObjects.count } == 0)
        let author = Author(context: stack.container.viewContext)
        author.name = "Bea"
        #expect(stack.container.viewContext.hasChanges)
        #expect(Author.entity().name == "Author")
    }
}

@MainActor private final class AppStack {
    let container: NSPersistentContainer

    init() throws {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        author.managedObjectClassName = NSStringFromClass(Author.self)
        model.setEntities([author] + model.entities.filter { $0 !== author }, forConfigurationName: "People")
        container = NSPersistentContainer(name: "App", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.configuration = "People"
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores(completionHandler: { storeDescription, error in
            if let error = error as NSError? { Issue.record("\(storeDescription): \(error), \(error.userInfo)") }
        })
    }

    func addAuthor(named name: String) async throws -> String? {
        let context = container.newBackgroundContext()
        return try await context.perform {
            let author = Author(context: context)
            author.name = name
            try author.validateForInsert()
            return author.name
        }
    }
}

final class Author: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
}
