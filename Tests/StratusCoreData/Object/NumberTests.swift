import Foundation
import StratusCoreData
import StratusSQLite
import Testing

/// Numbers that the types of accessors cannot hold exactly.
@Suite struct NumberTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")

    private func family() throws -> Family {
        try Family { model in
            let weight = NSAttributeDescription.make("weight", .float)
            weight.defaultValue = 0
            model.entitiesByName["Child"]?.properties.append(weight)
        }.withStore(file)
    }

    private func removeFiles() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
    }

    @Test func aDefaultOfAnotherTypeIsConverted() throws {
        defer { removeFiles() }
        try family().run { (family: Family) throws in
            let child = family.insert("Child")
            let age: Int16 = child.managedValue(forKey: "age")
            let weight: Float = child.managedValue(forKey: "weight")
            #expect(age == 3 && weight == 0)
            #expect(child.value(forKey: "age") is NSNumber)
        }
    }

    @Test func numbersAreCutOffAndRounded() throws {
        defer { removeFiles() }
        let family = try family()
        _ = try family.save("P", with: ["Ada"])
        // Nothing but the program's accessors keeps a file of others from such values.
        try SQLiteConnection(path: file.path).execute("UPDATE ZCHILD SET ZAGE = 100000, ZWEIGHT = 1e300")
        try family.run { (family: Family) throws in
            family.context.reset()
            let child = try family.fetch("Child")[0]
            let age: Int16 = child.managedValue(forKey: "age")
            #expect(age == Int16(truncatingIfNeeded: 100_000))
            let weight: Float = child.managedValue(forKey: "weight")
            #expect(weight == .infinity)
            child.setValue(0.1, forKey: "weight")
            let rounded: Float? = child.managedValue(forKey: "weight")
            #expect(rounded == 0.1)
        }
    }

    @Test func aBatchAcceptsOnlyNumbersOfTheType() throws {
        defer { removeFiles() }
        let family = try family()
        _ = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            for wrong: [String: Any] in [["age": 100_000], ["age": NSNumber(value: -100_000)], ["age": Int32.max]] {
                let insertion = NSBatchInsertRequest(entityName: "Child", objects: [["age": 32_767], wrong])
                let error = #expect(throws: CocoaError.self) { try family.context.execute(insertion) }
                #expect(error?.code == .validationNumberTooLarge || error?.code == .validationNumberTooSmall)
                let update = NSBatchUpdateRequest(entityName: "Child")
                update.propertiesToUpdate = wrong
                #expect(throws: CocoaError.self) { try family.context.execute(update) }
            }
            family.context.reset()
            #expect(try family.fetch("Child").map { $0.value(forKey: "age") as? Int } == [3])
        }
    }
}
