import Foundation
import StratusCoreData
import StratusSQLite
import StratusSeeds
import Testing

/// Trees of ranges over several attributes.
@Suite final class RTreeTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    private let area = NSPredicate(format: "x BETWEEN {10, 20} AND y >= 30 AND y < 35.5")

    deinit {
        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: URL(fileURLWithPath: file.path + ending))
        }
    }

    /// A family whose parents have two coordinates, with a tree over them.
    private func family(hasTree: Bool = true) throws -> Family {
        try Family { model in
            let parent = try #require(model.entitiesByName["Parent"])
            let coordinates = ["x", "y"].map { NSAttributeDescription.make($0, .double) }
            for attribute in coordinates { attribute.isOptional = true }
            parent.properties += coordinates
            guard hasTree else { return }
            let elements = coordinates.map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) }
            parent.indexes.append(NSFetchIndexDescription(name: "byPlace", elements: elements))
        }.withStore(file)
    }

    private func insert(_ count: Int, _ family: Family, _ random: inout SeededRandom) throws {
        try family.run { (family: Family) throws in
            for number in 0..<count {
                let parent = family.insert("Parent", named: "\(number)")
                parent.setValue(random.below(10) == 0 ? nil : Double(random.below(4_000)) / 100, forKey: "x")
                parent.setValue(random.below(10) == 0 ? nil : Double(random.below(4_000)) / 100, forKey: "y")
            }
            try family.context.save()
        }
    }

    /// Compares a fetch with the objects that the predicate holds for.
    private func check(_ family: Family) throws {
        try family.run { (family: Family) throws in
            let found = Set(try family.fetch("Parent", area))
            let expected = Set(try family.fetch("Parent").filter { area.evaluate(with: $0) })
            #expect(found == expected && !found.isEmpty)
        }
    }

    @Test func fetchesFindTheSameObjectsAfterChanges() throws {
        var random = SeededRandom(seed: Seed.draw())
        let family = try family()
        try insert(1_000, family, &random)
        try check(family)
        try family.run { (family: Family) throws in
            for parent in try family.fetch("Parent") {
                switch random.below(4) {
                case 0: family.context.delete(parent)
                case 1: parent.setValue(Double(random.below(40)), forKey: "x")
                case 2: parent.setValue(nil, forKey: "y")
                default: continue
                }
            }
            try family.context.save()
            family.context.reset()
        }
        try insert(200, family, &random)
        try check(family)
    }

    @Test func conditionsOnAllAttributesAreAnsweredByTheTree() throws {
        var random = SeededRandom(seed: Seed.draw())
        let family = try family()
        try insert(200, family, &random)
        // Without its rows the tree finds nothing.
        try SQLiteConnection(path: file.path).execute("DELETE FROM Z_Parent_byPlace")
        try family.run { (family: Family) throws in
            family.context.reset()
            #expect(try family.fetch("Parent", NSPredicate(format: "x > 0 AND y > 0")).isEmpty)
            #expect(try !family.fetch("Parent", NSPredicate(format: "x > 0 AND name != nil")).isEmpty)
            #expect(try !family.fetch("Parent", NSPredicate(format: "x > 0 OR y > 0")).isEmpty)
            #expect(try !family.fetch("Parent", NSPredicate(format: "x > -1e300 AND y > 0")).isEmpty)
        }
    }

    @Test func aStoreWithoutTheTreeIsReadAndChanged() throws {
        var random = SeededRandom(seed: Seed.draw())
        try insert(300, try family(hasTree: false), &random)
        let family = try family()
        try check(family)
        try insert(300, family, &random)
        try check(family)
    }

    @Test func aMigrationRecreatesTheTree() throws {
        var random = SeededRandom(seed: Seed.draw())
        let former = try family()
        try insert(500, former, &random)
        let coordinator = try #require(former.context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let next = try Family { model in
            let parent = try #require(model.entitiesByName["Parent"])
            let names = ["x", "y", "z"]
            let coordinates = names.map { NSAttributeDescription.make($0, .double) }
            for attribute in coordinates { attribute.isOptional = true }
            parent.properties += coordinates
            let elements = coordinates.dropLast().map {
                NSFetchIndexElementDescription(property: $0, collationType: .rTree)
            }
            parent.indexes.append(NSFetchIndexDescription(name: "byPlace", elements: elements))
        }
        try next.context.persistentStoreCoordinator?.addPersistentStore(
            type: .sqlite, at: file,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ])
        try check(next)
        try insert(100, next, &random)
        try check(next)
    }

    @Test func aTreeOfTextsIsAnError() throws {
        let family = try Family { model in
            let parent = try #require(model.entitiesByName["Parent"])
            let name = try #require(parent.attributesByName["name"])
            let element = NSFetchIndexElementDescription(property: name, collationType: .rTree)
            parent.indexes.append(NSFetchIndexDescription(name: "byName", elements: [element]))
        }
        #expect(throws: CocoaError.self) { try family.withStore(file) }
    }
}
