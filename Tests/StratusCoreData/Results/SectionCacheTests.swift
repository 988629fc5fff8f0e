import Foundation
import StratusCoreData
import Testing

@Suite struct SectionCacheTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    private let name = "sections/\(UUID())"

    private func removeFiles() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
    }

    private func controller(
        _ family: Family, _ predicate: NSPredicate? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Child")
        request.predicate = predicate
        request.fetchBatchSize = 10
        request.sortDescriptors = [
            NSSortDescriptor(key: "age", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: family.context, sectionNameKeyPath: "age", cacheName: name)
        try controller.performFetch()
        return controller
    }

    private func save(_ children: [String: Int], to family: Family) throws {
        try family.run { (family: Family) throws in
            for (name, age) in children { family.insert("Child", named: name).setValue(age, forKey: "age") }
            try family.context.save()
            family.context.reset()
        }
    }

    private func sections(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
        controller.sections?.map { "\($0.name): \($0.numberOfObjects)" } ?? []
    }

    @Test func sectionsOfACacheNeedNoValues() throws {
        defer { removeFiles() }
        let family = try Family().withStore(file)
        try save(["Ada": 1, "Bea": 2, "Cleo": 2], to: family)
        try family.run { (family: Family) throws in
            let first = try controller(family)
            #expect(sections(first) == ["1: 1", "2: 2"])
            #expect(first.fetchedObjects?.contains(where: \.isFault) == false)
        }
        let other = Family(beside: family)
        try other.run { (other: Family) throws in
            let second = try controller(other)
            #expect(sections(second) == ["1: 1", "2: 2"])
            #expect(second.fetchedObjects?.allSatisfy(\.isFault) == true)
            #expect(second.object(at: IndexPath(item: 1, section: 1)).label == "Cleo")
        }
    }

    @Test func aSaveOrAnotherFetchMakesACacheInvalid() throws {
        defer { removeFiles() }
        let family = try Family().withStore(file)
        try save(["Ada": 1, "Bea": 2], to: family)
        try family.run { (family: Family) throws in _ = try controller(family) }
        try save(["Cleo": 3], to: family)
        try family.run { (family: Family) throws in
            #expect(sections(try controller(family)) == ["1: 1", "2: 1", "3: 1"])
            family.context.reset()
            #expect(sections(try controller(family, NSPredicate(format: "age > 1"))) == ["2: 1", "3: 1"])
            family.context.reset()
            #expect(sections(try controller(family)) == ["1: 1", "2: 1", "3: 1"])
        }
    }

    @Test func changesThatAreNotSavedAreInTheSections() throws {
        defer { removeFiles() }
        let family = try Family().withStore(file)
        try save(["Ada": 1], to: family)
        try family.run { (family: Family) throws in
            _ = try controller(family)
            family.insert("Child", named: "Bea").setValue(4, forKey: "age")
            #expect(sections(try controller(family)) == ["1: 1", "4: 1"])
        }
    }

    @Test func aDeletedCacheIsMadeAgain() throws {
        defer { removeFiles() }
        let family = try Family().withStore(file)
        try save(["Ada": 1], to: family)
        try family.run { (family: Family) throws in _ = try controller(family) }
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
        let other = Family(beside: family)
        try other.run { (other: Family) throws in
            #expect(try controller(other).fetchedObjects?.contains(where: \.isFault) == false)
        }
    }
}
