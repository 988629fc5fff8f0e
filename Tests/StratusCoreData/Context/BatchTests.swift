import Foundation
import StratusCoreData
import Testing

@Suite struct BatchTests {
    @Test func rowsAreInserted() throws {
        let family = try Family().withStore()
        let id = try family.save("P")
        try family.run { (family: Family) throws in
            let request = NSBatchInsertRequest(
                entityName: "Child", objects: [["name": "Ada", "parent": id], ["name": "Bea", "age": 7]])
            request.resultType = .objectIDs
            let result = try family.context.execute(request) as? NSBatchInsertResult
            let ids = try #require(result?.result as? [NSManagedObjectID])
            #expect(ids.count == 2 && ids.allSatisfy { !$0.isTemporaryID })
            #expect(!family.context.hasChanges)
            let children = try family.fetch("Child")
            #expect(Set(children.map(\.objectID)) == Set(ids))
            #expect(children.map { $0.value(forKey: "age") as? Int } == [3, 7])
            #expect(family.context.object(with: id).names("children") == ["Ada"])
            var count = 0
            let handled = NSBatchInsertRequest(entityName: "Child") { dictionary in
                count += 1
                dictionary["name"] = "Child \(count)"
                return count > 3
            }
            handled.resultType = .count
            let counted = try family.context.execute(handled) as? NSBatchInsertResult
            #expect(counted?.result as? Int == 3)
            #expect(try family.names("Child").count == 5)
        }
    }

    @Test func aHandlerReadsAndChangesItsDictionary() throws {
        try Family().withStore().run { (family: Family) throws in
            var names: [[String]] = []
            let request = NSBatchInsertRequest(entityName: "Child") { row in
                guard names.isEmpty else { return true }
                row.setObject("Ada", forKey: "name" as NSString)
                row["age"] = 8
                row["parent"] = NSNull()
                row.removeObject(forKey: "parent")
                #expect(row["age"] as? Int == 8 && row.object(forKey: "name" as NSString) as? String == "Ada")
                #expect(row["size"] == nil && row.count == 2)
                #expect(row.isEqual(to: ["name": "Ada", "age": 8]))
                #expect((row.copy() as? NSDictionary)?.object(forKey: "name") as? String == "Ada")
                names.append(row.allKeys.compactMap { $0 as? String }.sorted())
                return false
            }
            _ = try family.context.execute(request)
            #expect(names == [["age", "name"]])
            let child = try #require(try family.fetch("Child").first)
            #expect(child.label == "Ada" && child.value(forKey: "age") as? Int == 8)
        }
    }

    @Test func wrongRowsAreErrorsAndNothingIsInserted() throws {
        try Family().withStore().run { (family: Family) throws in
            for wrong: [String: Any] in [["age": "old"], ["size": 1], ["parent": "P"]] {
                let request = NSBatchInsertRequest(entityName: "Child", objects: [["name": "Ada"], wrong])
                #expect(throws: CocoaError.self) { try family.context.execute(request) }
            }
            #expect(throws: CocoaError.self) {
                try family.context.execute(NSBatchInsertRequest(entityName: "Nobody", objects: [[:]]))
            }
            #expect(try family.names("Child") == [])
        }
    }

    @Test func rowsAreUpdated() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada", "Bea", "Cy"])
        try family.run { (family: Family) throws in
            let request = NSBatchUpdateRequest(entityName: "Child")
            request.predicate = NSPredicate(format: "name != 'Cy'")
            request.propertiesToUpdate = ["age": 9, "parent": NSNull()]
            request.resultType = .updatedObjectsCountResultType
            let result = try family.context.execute(request) as? NSBatchUpdateResult
            #expect(result?.result as? Int == 2)
            family.context.reset()
            #expect(try family.fetch("Child").map { $0.value(forKey: "age") as? Int } == [9, 9, 3])
            #expect(try family.fetch("Parent")[0].names("children") == ["Cy"])
            request.propertiesToUpdate = ["children": 1]
            #expect(throws: CocoaError.self) { try family.context.execute(request) }
        }
    }

    @Test func rowsAreDeletedByTheRulesOfTheirRelationships() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada", "Bea"])
        _ = try family.save("Q", with: ["Cy"])
        try family.run { (family: Family) throws in
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Parent")
            fetch.predicate = NSPredicate(format: "name == 'P'")
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            let result = try family.context.execute(request) as? NSBatchDeleteResult
            #expect((result?.result as? [NSManagedObjectID])?.count == 1)
            #expect(try family.names("Parent") == ["Q"])
            #expect(try family.names("Child") == ["Cy"])
        }
    }

    @Test func anAsynchronousFetchEndsOnTheQueueOfTheContext() async throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada", "Bea"])
        let context = family.context
        let names = try await withCheckedThrowingContinuation { continuation in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Child")
            fetch.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                continuation.resume(returning: result.finalResult?.map(\.label))
            }
            do {
                try context.performAndWait { _ = try context.execute(request) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(names == ["Bea", "Ada"])
    }

    @Test func aCancelledFetchHasAnError() async throws {
        let context = try Family().withStore().context
        let error = try await withCheckedThrowingContinuation { continuation in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Child")
            let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                continuation.resume(returning: result.operationError as? CocoaError)
            }
            do {
                try context.performAndWait {
                    let result = try context.execute(request) as? NSPersistentStoreAsynchronousResult
                    result?.cancel()
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(error?.code == .userCancelled)
    }

    private func delete(_ entity: String, _ name: String, in family: Family) throws {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = NSPredicate(format: "name == %@", name)
        _ = try family.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    }

    @Test func aBatchDeletesNothingThatARelationshipDenies() throws {
        let family = try Family(childrenRule: .denyDeleteRule).withStore()
        _ = try family.save("P", with: ["Ada"])
        _ = try family.save("Q")
        try family.run { (family: Family) throws in
            let error = #expect(throws: CocoaError.self) { try delete("Parent", "P", in: family) }
            #expect(error?.code == .validationRelationshipDeniedDelete)
            try delete("Parent", "Q", in: family)
            #expect(try family.names("Parent") == ["P"])
            #expect(try family.fetch("Child")[0].value(forKey: "parent") != nil)
        }
    }

    @Test func aBatchLeavesNoRequiredRelationshipEmpty() throws {
        let family = try Family(childrenRule: .nullifyDeleteRule) { model in
            model.entitiesByName["Child"]?.relationshipsByName["parent"]?.isOptional = false
        }.withStore()
        _ = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            let error = #expect(throws: CocoaError.self) { try delete("Parent", "P", in: family) }
            #expect(error?.code == .validationMissingMandatoryProperty)
            #expect(try family.names("Parent") == ["P"])
        }
    }
}
