import Foundation
import StratusCoreData
import Testing

@Suite struct LifeCycleTests {
    private func family() throws -> Family {
        try Family { $0.entitiesByName["Child"]?.managedObjectClassName = NSStringFromClass(Logging.self) }.withStore()
    }

    @Test func methodsAreCalledInTheirOrder() throws {
        let family = try family()
        try family.run { (family: Family) throws in
            let child = try #require(family.insert("Child", named: "Ada") as? Logging)
            try family.context.save()
            #expect(child.log == ["awakeFromInsert", "willSave", "didSave"])
            child.log = []
            family.context.refresh(child, mergeChanges: false)
            #expect(child.isFault && child.log == ["willTurnIntoFault", "didTurnIntoFault"])
            #expect(child.label == "Ada")
            family.context.delete(child)
            try family.context.save()
            #expect(child.log.dropFirst(2) == ["awakeFromFetch", "prepareForDeletion", "willSave", "didSave"])
        }
    }

    @Test func changesInWillSaveAreSavedAndThoseInAwakeFromFetchAreNoChanges() throws {
        let family = try family()
        try family.run { (family: Family) throws in
            let child = try #require(family.insert("Child", named: "Ada") as? Logging)
            child.nameToSave = "Bea"
            try family.context.save()
            #expect(child.log == ["awakeFromInsert", "willSave", "willSave", "didSave"])
        }
        try Family(beside: family).run { (other: Family) throws in
            let child = try #require(try other.fetch("Child").first as? Logging)
            #expect(child.value(forKey: "age") as? Int == 99)
            #expect(child.label == "Bea" && !child.hasChanges && !other.context.hasChanges)
        }
    }

    @Test func aSaveThatNeverEndsIsGivenUp() throws {
        try family().run { family in
            let child = try #require(family.insert("Child", named: "Ada") as? Logging)
            child.changesForEver = true
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .coreData)
        }
    }
}

final class Logging: NSManagedObject {
    var log: [String] = []
    var nameToSave: String?
    var changesForEver = false

    override func awakeFromInsert() { log.append("awakeFromInsert") }
    override func prepareForDeletion() { log.append("prepareForDeletion") }
    override func didSave() { log.append("didSave") }
    override func willTurnIntoFault() { log.append("willTurnIntoFault") }
    override func didTurnIntoFault() { log.append("didTurnIntoFault") }

    override func awakeFromFetch() {
        log.append("awakeFromFetch")
        setValue(99, forKey: "age")
    }

    override func willSave() {
        log.append("willSave")
        if let nameToSave, label != nameToSave { setValue(nameToSave, forKey: "name") }
        if changesForEver { setValue(label + ".", forKey: "name") }
    }
}
