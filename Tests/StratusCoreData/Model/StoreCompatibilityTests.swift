import Foundation
import StratusCoreData
import Testing

@Suite struct StoreCompatibilityTests {
    private func metadata(_ hashes: [String: Data]) -> [String: Any] { [NSStoreModelVersionHashesKey: hashes] }

    @Test func theHashesOfAllEntitiesMustBeEqual() {
        let model = Library.model()
        var hashes = model.entityVersionHashesByName
        func fits() -> Bool {
            model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata(hashes))
        }
        #expect(fits())
        hashes["Book"] = Data(repeating: 0, count: 32)
        #expect(!fits())
        hashes["Book"] = nil
        #expect(!fits())
        hashes = model.entityVersionHashesByName
        hashes["Place"] = Data(repeating: 0, count: 32)
        #expect(!fits())
    }

    @Test func aConfigurationHasOnlyItsEntities() throws {
        let model = Library.model()
        model.setEntities([try #require(model.entitiesByName["Author"])], forConfigurationName: "People")
        let author = metadata(model.entityVersionHashesByName.filter { $0.key == "Author" })
        #expect(model.isConfiguration(withName: "People", compatibleWithStoreMetadata: author))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: author))
        #expect(!model.isConfiguration(withName: "Places", compatibleWithStoreMetadata: author))
    }

    @Test func metadataWithoutHashesFitsNoModel() {
        let model = NSManagedObjectModel()
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata([:])))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        #expect(
            !model.isConfiguration(
                withName: nil, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: "no hashes"]))
    }

    @Test func metadataOfFoundationsClassesIsRead() {
        let model = Library.model()
        let hashes = NSMutableDictionary()
        for (name, hash) in model.entityVersionHashesByName { hashes[name] = NSData(data: hash) }
        #expect(
            model.isConfiguration(
                withName: nil, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: hashes]))
    }

    @Test func aStoreNamesItsConfigurationAndItsVersion() throws {
        let family = Family { $0.versionIdentifiers = ["7"] }
        let coordinator = try #require(try family.withStore().context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        #expect(store.metadata["NSStoreModelVersionIdentifiers"] as? [String] == ["7"])
        #expect(family.model.entities(forConfigurationName: store.configurationName)?.count == 2)
        try coordinator.remove(store)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: store.configurationName, at: nil)
    }
}
