import Foundation
import StratusCoreData
import Testing

@Suite struct FetchedPropertyTests {
    private let family: Family

    init() throws {
        family = try Family { model in
            let property = NSFetchedPropertyDescription()
            property.name = "namesakes"
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Child")
            request.predicate = NSPredicate(
                format: "name BEGINSWITH $FETCH_SOURCE.name AND parent != $FETCH_SOURCE")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            property.fetchRequest = request
            model.entitiesByName["Parent"]?.properties.append(property)
        }.withStore()
    }

    private func namesakes(_ parent: NSManagedObject) -> [String] {
        (parent.value(forKey: "namesakes") as? [NSManagedObject] ?? []).map(\.label)
    }

    @Test func theObjectsAreFetchedOnceAndAfterARefresh() throws {
        let id = try family.save("A", with: ["Ada"])
        _ = try family.save("B", with: ["Anna", "Bea"])
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            #expect(namesakes(parent) == ["Anna"])
            _ = family.insert("Child", named: "Alma")
            try family.context.save()
            #expect(namesakes(parent) == ["Anna"] && !parent.hasChanges)
            family.context.refresh(parent, mergeChanges: true)
            #expect(namesakes(parent) == ["Alma", "Anna"])
            _ = family.insert("Child", named: "Asta")
            parent.setValue("Al", forKey: "name")
            try family.context.save()
            #expect(namesakes(parent) == ["Alma", "Anna"])
            family.context.refresh(parent, mergeChanges: false)
            #expect(namesakes(parent) == ["Alma"])
        }
    }

    @Test func changesThatAreNotSavedAreFound() throws {
        try family.run { (family: Family) throws in
            let parent = family.insert("Parent", named: "A")
            _ = family.insert("Child", named: "Ada")
            #expect(namesakes(parent) == ["Ada"])
        }
    }
}
