import Foundation
import Testing

@testable import StratusCoreData

/// Migrations that are inferred, of each kind of change.
@Suite struct LightweightMigrationTests {
    private let store: MigratedStore

    init() throws {
        store = try MigratedStore()
        try store.write(MigratedStore.model())
    }

    @Test func attributesAreAddedRemovedRenamedAndWidened() throws {
        let model = try MigratedStore.model { model in
            let person = try model.entity("Person")
            let age = try #require(person.attributesByName["age"])
            age.name = "years"
            age.renamingIdentifier = "age"
            age.type = .integer64
            let level = NSAttributeDescription.make("level", .integer32)
            level.isOptional = false
            level.defaultValue = 5
            // The name of a renamed attribute can be that of a new one.
            let other = NSAttributeDescription.make("age", .string)
            person.properties = person.properties.filter { $0.name != "note" } + [level, other]
            try model.entity("Employee").attributesByName["salary"]?.type = .double
        }
        try store.open(model) { (context: NSManagedObjectContext) throws in
            let ada = try context.one("Person", "Ada")
            #expect(ada.value(forKey: "years") as? Int == 40)
            #expect(ada.value(forKey: "age") == nil)
            #expect(ada.value(forKey: "level") as? Int == 5)
            #expect(ada.value(forKey: "salary") as? Double == 1.5)
            #expect(try context.one("Person", "Eve").value(forKey: "years") == nil)
            ada.setValue(1 << 40, forKey: "years")
            try context.save()
        }
    }

    @Test func relationshipsAndIDsStay() throws {
        let uri = try store.open(MigratedStore.model()) { try $0.one("Person", "Ada").objectID.uriRepresentation() }
        // The new entity comes first, so that all others get another number.
        let model = MigratedStore.model { model in
            model.entities += [StoreFixture.entity("Animal")]
        }
        try store.open(model) { (context: NSManagedObjectContext) throws in
            let ada = try context.one("Person", "Ada")
            #expect(ada.objectID.uriRepresentation() == uri)
            #expect(ada.entity.name == "Employee")
            #expect(ada.labels("pets") == ["Rex", "Bo"])
            #expect(ada.labels("friends") == ["Eve", "Bob"])
            #expect(ada.labels("places") == ["Here", "There"])
            #expect((ada.value(forKey: "favourite") as? NSManagedObject)?.value(forKey: "name") as? String == "Bo")
            #expect(try context.one("Person", "Bob").labels("friendsOf") == ["Ada"])
            let owner = try context.one("Pet", "Rex").value(forKey: "owner") as? NSManagedObject
            #expect(owner === ada)
            let another = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            another.setValue("New", forKey: "name")
            try context.save()
            #expect(another.objectID != ada.objectID)
        }
    }

    @Test func entitiesAndRelationshipsAreRenamed() throws {
        let model = try MigratedStore.model { model in
            let pet = try model.entity("Pet")
            pet.name = "Animal"
            pet.renamingIdentifier = "Pet"
            let person = try model.entity("Person")
            for (name, new) in [("pets", "animals"), ("friends", "mates"), ("places", "spots"), ("favourite", "best")] {
                let relationship = try #require(person.relationshipsByName[name])
                relationship.name = new
                relationship.renamingIdentifier = name
            }
        }
        try store.open(model) { (context: NSManagedObjectContext) throws in
            let ada = try context.one("Person", "Ada")
            #expect(ada.labels("animals") == ["Rex", "Bo"])
            #expect(ada.labels("mates") == ["Eve", "Bob"])
            #expect(ada.labels("spots") == ["Here", "There"])
            #expect((ada.value(forKey: "best") as? NSManagedObject)?.entity.name == "Animal")
        }
    }

    @Test func aToOneRelationshipBecomesToMany() throws {
        let model = try MigratedStore.model { model in
            // Without an inverse, with one that is new, and between many and many.
            try model.entity("Person").relationshipsByName["favourite"]?.maxCount = 0
            let owner = try #require(try model.entity("Pet").relationshipsByName["owner"])
            owner.maxCount = 0
            let places = try #require(try model.entity("Person").relationshipsByName["places"])
            let visitor = StoreFixture.toOne("visitor", try model.entity("Person"))
            StoreFixture.connect(places, visitor)
            try model.entity("Place").properties += [visitor]
        }
        try store.open(model) { (context: NSManagedObjectContext) throws in
            let ada = try context.one("Person", "Ada")
            #expect(ada.labels("favourite") == ["Bo"])
            #expect(ada.labels("pets") == ["Rex", "Bo"])
            #expect(try context.one("Pet", "Bo").labels("owner") == ["Ada"])
            #expect(ada.labels("places") == ["Here", "There"])
            #expect(try context.one("Place", "Here").value(forKey: "visitor") as? NSManagedObject === ada)
        }
    }

    @Test func entitiesGetAParentAndLoseOne() throws {
        let model = try MigratedStore.model { model in
            // Employees become an entity of their own, with a name of their own; persons become beings.
            let person = try model.entity("Person")
            let employee = try model.entity("Employee")
            person.subentities = []
            employee.properties += [NSAttributeDescription.make("name", .string)]
            let being = StoreFixture.entity("Being")
            being.isAbstract = true
            let name = try #require(person.attributesByName["name"])
            person.properties = person.properties.filter { $0 !== name }
            being.properties = [name]
            being.subentities = [person]
            model.entities += [being]
        }
        try store.open(model) { (context: NSManagedObjectContext) throws in
            #expect(try context.all("Being").map { $0.value(forKey: "name") as? String } == ["Bob", "Eve"])
            let ada = try context.one("Employee", "Ada")
            #expect(ada.value(forKey: "salary") as? Double == 1.5)
            // The owner of pets is a person, and Ada is none any more.
            #expect(try context.one("Pet", "Rex").value(forKey: "owner") == nil)
        }
    }

    @Test func removedEntitiesLeaveNoReferences() throws {
        let model = try MigratedStore.model { model in
            try model.entity("Person").subentities = []
            model.entities = model.entities.filter { $0.name != "Employee" }
        }
        try store.open(model) { (context: NSManagedObjectContext) throws in
            #expect(try context.all("Person").count == 2)
            #expect(try context.one("Pet", "Rex").value(forKey: "owner") == nil)
            #expect(try context.one("Person", "Eve").labels("friendsOf").isEmpty)
        }
    }

    @Test func externalDataStaysExternalOrMovesIntoTheFile() throws {
        let support = store.folder.appendingPathComponent(".store_SUPPORT/_EXTERNAL_DATA")
        func files() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: support.path).count) ?? 0 }
        func photos(_ context: NSManagedObjectContext) throws -> [Int] {
            try context.all("Person").map { ($0.value(forKey: "photo") as? Data)?.count ?? 0 }
        }
        let another = MigratedStore.model { $0.entities += [StoreFixture.entity("Animal")] }
        #expect(try store.open(another) { try photos($0) } == [200_000, 0, 10])
        #expect(files() == 1)
        let inside = try MigratedStore.model {
            try $0.entity("Person").attributesByName["photo"]?.allowsExternalBinaryDataStorage = false
        }
        #expect(try store.open(inside) { try photos($0) } == [200_000, 0, 10])
        #expect(files() == 0)
        #expect(try store.open(MigratedStore.model()) { try photos($0) } == [200_000, 0, 10])
    }

    @Test func derivedAttributesAreComputed() throws {
        let model = try MigratedStore.model { model in
            let count = NSDerivedAttributeDescription()
            count.name = "petCount"
            count.attributeType = .integer64AttributeType
            count.expression = NSExpressionOf.format("pets.@count")
            try model.entity("Person").properties += [count]
        }
        #expect(try store.open(model) { try $0.one("Person", "Ada").value(forKey: "petCount") as? Int } == 2)
    }

    @Test func theHistoryKnowsTheObjects() throws {
        let store = try MigratedStore()
        var options = MigratedStore.migrating
        options[NSPersistentHistoryTrackingKey] = true
        let first = try MigratedStore.model {
            try $0.entity("Pet").attributesByName["name"]?.preservesValueInHistoryOnDeletion = true
        }
        try store.write(first, options)
        try store.open(first, options) { (context: NSManagedObjectContext) throws in
            let ada = try context.one("Person", "Ada")
            ada.setValue(41, forKey: "age")
            try context.save()
            context.delete(try context.one("Pet", "Rex"))
            try context.save()
        }
        let second = try MigratedStore.model { model in
            model.entities += [StoreFixture.entity("Animal")]
            let person = try model.entity("Person")
            person.properties += [NSAttributeDescription.make("aaa", .string)]
            person.attributesByName["age"]?.name = "years"
            person.attributesByName["years"]?.renamingIdentifier = "age"
            let name = try #require(try model.entity("Pet").attributesByName["name"])
            name.preservesValueInHistoryOnDeletion = true
            let kind = NSAttributeDescription.make("kind", .string)
            kind.preservesValueInHistoryOnDeletion = true
            try model.entity("Pet").properties += [kind]
            model.entities = model.entities.filter { $0.name != "Place" }
            person.properties = person.properties.filter { $0.name != "places" }
        }
        try store.open(second, options) { (context: NSManagedObjectContext) throws in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            let changes = transactions.flatMap { $0.changes ?? [] }
            let ada = try context.one("Person", "Ada").objectID
            #expect(changes.filter { $0.changeType == .insert }.count == 5)
            let update = try #require(changes.first { $0.changedObjectID == ada && $0.changeType == .update })
            #expect(update.updatedProperties?.map(\.name) == ["years"])
            let deletion = try #require(changes.first { $0.changeType == .delete })
            #expect(deletion.changedObjectID.entity.name == "Pet")
            #expect(deletion.tombstone?["name"] as? String == "Rex")
        }
    }
}
