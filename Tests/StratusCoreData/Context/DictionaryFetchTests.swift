import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

/// Fetches whose results are dictionaries.
@Suite struct DictionaryFetchTests {
    // Foundation on Linux calls expressions deprecated; only through a protocol are they used without warnings.
    private let checks: any DictionaryFetchChecking = DictionaryFetchChecks()

    @Test func propertiesAndKeyPathsAreFetched() throws { try checks.propertiesAndKeyPathsAreFetched() }

    @Test func groupsHaveCalculatedValues() throws { try checks.groupsHaveCalculatedValues() }

    @Test func severalStoresAreOneFetch() throws { try checks.severalStoresAreOneFetch() }

    @Test func valuesOfDestinationsAreCounted() throws { try checks.valuesOfDestinationsAreCounted() }

    @Test func wrongPropertiesAreErrors() throws { try checks.wrongPropertiesAreErrors() }
}

private protocol DictionaryFetchChecking: Sendable {
    func propertiesAndKeyPathsAreFetched() throws
    func groupsHaveCalculatedValues() throws
    func severalStoresAreOneFetch() throws
    func valuesOfDestinationsAreCounted() throws
    func wrongPropertiesAreErrors() throws
}

private struct DictionaryFetchChecks: DictionaryFetchChecking {
    /// Two parents, with children of the ages 1, 2 and 3 and of the age 10.
    private func family() throws -> Family {
        let family = try Family().withStore()
        try family.run { (family: Family) throws in
            for (parent, ages) in [("P", [1, 2, 3]), ("Q", [10])] {
                let parent = family.insert("Parent", named: parent)
                for age in ages {
                    let child = family.insert("Child", named: "c\(age)")
                    child.setValue(age, forKey: "age")
                    child.setValue(parent, forKey: "parent")
                }
            }
            try family.context.save()
        }
        return family
    }

    private func fetch(
        _ properties: [Any]?, of entity: String = "Child",
        _ prepare: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
    ) throws -> [[String: NSObject]] {
        let family = try family()
        return try family.run { (family: Family) throws in
            // A change that is not saved is not in the results.
            _ = family.insert("Child", named: "new")
            let request = NSFetchRequest<NSDictionary>(entityName: entity)
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = properties
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
            prepare(request)
            return try family.context.fetch(request).map { $0 as? [String: NSObject] ?? [:] }
        }
    }

    @available(*, deprecated)
    func severalStoresAreOneFetch() throws {
        let family = try Family().withStore().withStore()
        let stores = try #require(family.context.persistentStoreCoordinator?.persistentStores)
        try family.run { (family: Family) throws in
            for (name, age, store) in [("d", 1, 0), ("b", 2, 0), ("c", 3, 1), ("a", 2, 1)] {
                let child = family.insert("Child", named: name)
                child.setValue(age, forKey: "age")
                family.context.assign(child, to: stores[store])
            }
            try family.context.save()
            func fetch(_ properties: [Any], _ prepare: (NSFetchRequest<NSDictionary>) -> Void) throws -> [NSDictionary]
            {
                let request = NSFetchRequest<NSDictionary>(entityName: "Child")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = properties
                prepare(request)
                return try family.context.fetch(request)
            }
            let names = try fetch(["name"]) { request in
                request.sortDescriptors = [
                    NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "name", ascending: true),
                ]
                (request.fetchOffset, request.fetchLimit) = (1, 2)
            }
            #expect(names == [["name": "a"], ["name": "b"]])
            let ages = try fetch(["age"]) { request in
                request.returnsDistinctResults = true
                request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
                request.fetchLimit = 2
            }
            #expect(ages == [["age": 1], ["age": 2]])
            // One number for each store would be wrong.
            let count = expression("count", "count:(name)", .integer64AttributeType)
            #expect(throws: CocoaError.self) { try fetch([count]) { _ in } }
            #expect(throws: CocoaError.self) { try fetch(["age"]) { $0.propertiesToGroupBy = ["age"] } }
        }
    }

    @available(*, deprecated)
    private func expression(
        _ name: String, _ format: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    @available(*, deprecated)
    func propertiesAndKeyPathsAreFetched() throws {
        let found = try fetch(["name", "parent.name"])
        #expect(found.map { $0["name"] } == ["c1", "c2", "c3", "c10"].map { NSString(string: $0) })
        #expect(found.first?["parent.name"] == NSString(string: "P"))
        let all = try fetch(nil)
        #expect(all.count == 4 && Set(all[0].keys) == ["name", "age", "parent"])
        #expect(all[0]["parent"] is NSManagedObjectID)
        let object = expression("object", "SELF", .objectIDAttributeType)
        #expect(try fetch([object]).allSatisfy { ($0["object"] as? NSManagedObjectID)?.entity.name == "Child" })
        let parents = try fetch(["parent.name"]) { request in
            request.returnsDistinctResults = true
            request.sortDescriptors = [NSSortDescriptor(key: "parent.name", ascending: false)]
        }
        #expect(parents.map { $0["parent.name"] } == ["Q", "P"].map { NSString(string: $0) })
    }

    @available(*, deprecated)
    func groupsHaveCalculatedValues() throws {
        let total = expression("total", "sum:(age)", .integer64AttributeType)
        let average = expression("average", "average:(age)", .doubleAttributeType)
        let found = try fetch(["parent.name", total, average]) { request in
            request.propertiesToGroupBy = ["parent.name"]
            request.sortDescriptors = [NSSortDescriptor(key: "total", ascending: false)]
        }
        #expect(
            found == [
                ["parent.name": NSString(string: "Q"), "total": NSNumber(value: 10), "average": NSNumber(value: 10.0)],
                ["parent.name": NSString(string: "P"), "total": NSNumber(value: 6), "average": NSNumber(value: 2.0)],
            ])
        let large = try fetch(["parent.name", total]) { request in
            request.propertiesToGroupBy = ["parent.name"]
            request.havingPredicate = NSPredicate(format: "total > 6")
            request.sortDescriptors = nil
        }
        #expect(large.map { $0["total"] } == [NSNumber(value: 10)])
        let whole = try fetch([expression("most", "max:(age)", .integer16AttributeType)]) { $0.sortDescriptors = nil }
        #expect(whole == [["most": NSNumber(value: 10)]])
    }

    @available(*, deprecated)
    func valuesOfDestinationsAreCounted() throws {
        let count = expression("count", "children.name.@count", .integer64AttributeType)
        // A description without an expression stands for the property with its name.
        let name = NSExpressionDescription()
        name.name = "name"
        let found = try fetch([name, count], of: "Parent") { request in
            request.propertiesToGroupBy = ["name"]
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        }
        #expect(
            found == [
                ["name": NSString(string: "P"), "count": NSNumber(value: 3)],
                ["name": NSString(string: "Q"), "count": NSNumber(value: 1)],
            ])
    }

    @available(*, deprecated)
    func wrongPropertiesAreErrors() throws {
        #expect(throws: CocoaError.self) { try fetch(["nothing"]) }
        #expect(throws: CocoaError.self) { try fetch([5]) }
        #expect(throws: CocoaError.self) { try fetch([NSExpressionDescription()]) }
        #expect(throws: CocoaError.self) { try fetch(["name"]) { $0.propertiesToGroupBy = ["nothing"] } }
    }
}
