import Foundation
import StratusCoreData
import StratusSeeds
import Testing

@Suite struct FetchedResultsControllerTests {
    private let family: Family

    init() throws { family = try Family().withStore() }

    private func controller(
        _ predicate: NSPredicate? = nil, sections: String? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Child")
        request.predicate = predicate
        request.sortDescriptors = [
            NSSortDescriptor(key: "age", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: family.context, sectionNameKeyPath: sections, cacheName: nil)
        try controller.performFetch()
        return controller
    }

    @discardableResult
    private func child(_ name: String, _ age: Int) -> NSManagedObject {
        let child = family.insert("Child", named: name)
        child.setValue(age, forKey: "age")
        return child
    }

    @Test func resultsHaveSectionsAndPaths() throws {
        try family.run { (family: Family) throws in
            let (ada, bea) = (child("Ada", 2), child("Bea", 1))
            child("Cy", 1)
            try family.context.save()
            let controller = try controller(sections: "age")
            #expect(controller.sections?.map(\.name) == ["1", "2"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
            #expect(controller.sectionIndexTitles == ["1", "2"])
            #expect(controller.section(forSectionIndexTitle: "2", at: 1) == 1)
            #expect(controller.fetchedObjects?.map(\.label) == ["Bea", "Cy", "Ada"])
            #expect(controller.indexPath(forObject: ada) == IndexPath(item: 0, section: 1))
            #expect(controller.object(at: IndexPath(row: 0, section: 0)) === bea)
        }
    }

    @Test func withoutAnOrderObjectsStayAndNewOnesFollow() throws {
        try family.run { (family: Family) throws in
            let bea = child("Bea", 2)
            try family.context.save()
            child("Ada", 1)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Child")
            request.sortDescriptors = []
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: family.context, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map(\.label) == ["Bea", "Ada"])
            let log = ChangeLog()
            controller.delegate = log
            child("Cy", 0)
            family.context.processPendingChanges()
            #expect(log.take() == ["insert Cy [0, 2]"])
            bea.setValue(7, forKey: "age")
            family.context.processPendingChanges()
            #expect(log.take() == ["update Bea [0, 0] [0, 0]"])
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map(\.label) == ["Bea", "Ada", "Cy"])
        }
    }

    @Test func eachKindOfChangeIsReported() throws {
        try family.run { (family: Family) throws in
            let children = [child("Ada", 1), child("Bea", 2), child("Cy", 3)]
            try family.context.save()
            let controller = try controller(NSPredicate(format: "age > 0"))
            let log = ChangeLog()
            controller.delegate = log
            child("Dee", 2)
            family.context.processPendingChanges()
            #expect(log.take() == ["insert Dee [0, 2]"])
            children[0].setValue(9, forKey: "age")
            family.context.processPendingChanges()
            #expect(log.take() == ["move Ada [0, 0] [0, 3]"])
            children[1].setValue("Bee", forKey: "name")
            family.context.processPendingChanges()
            #expect(log.take() == ["update Bee [0, 0] [0, 0]"])
            children[2].setValue(0, forKey: "age")
            family.context.processPendingChanges()
            #expect(log.take() == ["delete Cy [0, 2]"])
            family.context.delete(children[1])
            family.context.processPendingChanges()
            #expect(log.take() == ["delete Bee [0, 0]"])
            // A change of something else is none of the results.
            family.insert("Parent", named: "P")
            family.context.processPendingChanges()
            #expect(log.take().isEmpty)
            controller.delegate = nil
            child("Eve", 2)
            family.context.processPendingChanges()
            #expect(log.take().isEmpty && controller.fetchedObjects?.map(\.label) == ["Dee", "Ada"])
        }
    }

    /// A view that applies what is reported, as table views do, shows the results.
    @Test func randomChangesKeepAViewRight() throws {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        try family.run { (family: Family) throws in
            for number in 0..<8 { child("c\(number)", random.below(4)) }
            try family.context.save()
            let controller = try controller(NSPredicate(format: "age < 5"), sections: "age")
            let view = MirrorView(controller)
            controller.delegate = view
            for step in 0..<300 {
                for _ in 0...random.below(4) {
                    let children = try family.fetch("Child")
                    let chosen = children.isEmpty ? nil : children[random.below(children.count)]
                    switch random.below(6) {
                    case 0: child("n\(step)", random.below(7))
                    case 1: chosen.map(family.context.delete)
                    case 2: chosen?.setValue("r\(random.below(90))", forKey: "name")
                    default: chosen?.setValue(random.below(7), forKey: "age")
                    }
                }
                if random.chance(20) { try family.context.save() } else { family.context.processPendingChanges() }
                if random.chance(5) { family.context.rollback() }
                let expected = try family.fetch("Child", NSPredicate(format: "age < 5")) { request in
                    request.sortDescriptors?.insert(NSSortDescriptor(key: "age", ascending: true), at: 0)
                }
                #expect(
                    Set(controller.fetchedObjects ?? []) == Set(expected), "STRATUS_SEED=\(seed), step \(step)")
                let shown = controller.sections?.map { $0.objects as? [NSManagedObject] ?? [] }
                try #require(view.sections == shown, "STRATUS_SEED=\(seed), step \(step)")
                #expect(
                    controller.fetchedObjects?.compactMap { $0.value(forKey: "age") as? Int }
                        == expected.compactMap { $0.value(forKey: "age") as? Int })
            }
            #expect(view.changes > 300, "STRATUS_SEED=\(seed)")
        }
    }

    @Test func snapshotsAndDifferencesHaveTheIDs() throws {
        try family.run { (family: Family) throws in
            let ada = child("Ada", 1)
            try family.context.save()
            let controller = try controller()
            let log = ChangeLog()
            controller.delegate = log
            let bea = child("Bea", 0)
            family.context.processPendingChanges()
            #expect(log.snapshot?.itemIdentifiers as? [NSManagedObjectID] == [bea.objectID, ada.objectID])
            #expect(log.snapshot?.sectionIdentifiers as? [String] == [""] && log.snapshot?.numberOfItems == 2)
            #expect(log.difference?.insertions.count == 1 && log.difference?.removals.isEmpty == true)
        }
    }

    @Test func aPartOfTheResultsFollowsItsBorders() throws {
        try family.run { (family: Family) throws in
            for age in 1...4 { child("c\(age)", age) }
            try family.context.save()
            let controller = try controller()
            controller.fetchRequest.fetchLimit = 2
            try controller.performFetch()
            let log = ChangeLog()
            controller.delegate = log
            family.context.delete(try #require(controller.fetchedObjects?.first))
            family.context.processPendingChanges()
            #expect(controller.fetchedObjects?.map(\.label) == ["c2", "c3"])
            #expect(log.take() == ["delete c1 [0, 0]", "insert c3 [0, 1]"])
        }
    }
}

/// Notes what is reported.
private final class ChangeLog: NSFetchedResultsControllerDelegate {
    private var lines: [String] = []
    private(set) var snapshot: NSDiffableDataSourceSnapshotReference?
    private(set) var difference: CollectionDifference<NSManagedObjectID>?

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let paths = [indexPath, newIndexPath].compactMap { $0 }.map { "\(Array($0))" }
        lines.append((["\(type)", (anObject as? NSManagedObject)?.label ?? ""] + paths).joined(separator: " "))
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { self.snapshot = snapshot }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { difference = diff }
}

/// Applies changes as a table view does: what goes is counted before the changes, what comes after them.
private final class MirrorView: NSFetchedResultsControllerDelegate {
    private(set) var sections: [[NSManagedObject]]
    private(set) var changes = 0
    private var deletedSections: Set<Int> = []
    private var insertedSections: [Int] = []
    private var removed: Set<NSManagedObject> = []
    private var inserted: [(NSManagedObject, IndexPath)] = []

    init(_ controller: NSFetchedResultsController<NSManagedObject>) {
        sections = controller.sections?.map { $0.objects as? [NSManagedObject] ?? [] } ?? []
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        (deletedSections, insertedSections, removed, inserted) = ([], [], [], [])
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        if type == .delete { deletedSections.insert(sectionIndex) } else { insertedSections.append(sectionIndex) }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        changes += 1
        guard let object = anObject as? NSManagedObject else { return }
        if let indexPath { #expect(sections[indexPath.section][indexPath.item] === object) }
        guard type != .update else { return }
        if indexPath != nil { removed.insert(object) }
        if let newIndexPath { inserted.append((object, newIndexPath)) }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        var rest = sections.map { $0.filter { !removed.contains($0) } }
        for index in deletedSections.sorted(by: >) { rest.remove(at: index) }
        for index in insertedSections.sorted() { rest.insert([], at: index) }
        for (object, path) in inserted.sorted(by: { $0.1 < $1.1 }) {
            rest[path.section].insert(object, at: path.item)
        }
        sections = rest
    }
}
