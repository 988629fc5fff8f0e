import Foundation
import StratusCompatibility
import StratusSQLite
import Testing

@testable import StratusCoreData

/// The model that a store file contains.
@Suite struct ModelCacheTests {
    /// A model with composite, derived and transformable attributes, a constraint and an index.
    private func model() throws -> NSManagedObjectModel {
        try MigratedStore.model { model in
            let address = NSCompositeAttributeDescription()
            address.name = "address"
            let inner = NSCompositeAttributeDescription()
            inner.name = "place"
            inner.elements = [NSAttributeDescription.make("x", .double)]
            address.elements = [NSAttributeDescription.make("street", .string), inner]
            let tags = NSAttributeDescription.make("tags", .transformable)
            tags.valueTransformerName = "NSSecureUnarchiveFromData"
            let count = NSDerivedAttributeDescription()
            count.name = "count"
            count.attributeType = .integer64AttributeType
            count.expression = NSExpressionOf.format("pets.@count")
            let person = try model.entity("Person")
            person.properties += [address, tags, count]
            person.uniquenessConstraints = [["name", "age"]]
            person.versionHashModifier = "<2 & \"3\">"
        }
    }

    private func cached(_ store: MigratedStore) throws -> NSManagedObjectModel? {
        try ModelCache.read(from: StoreFile(path: store.file.path, isReadOnly: true, timeout: .zero))?.model
    }

    @Test func itHasTheHashesOfTheModel() throws {
        let store = try MigratedStore()
        let model = try model()
        try store.open(model) { _ in }
        #expect(try cached(store)?.entityVersionHashesByName == model.entityVersionHashesByName)
        let other = MigratedStore.model()
        try store.open(other) { _ in }
        #expect(try cached(store)?.entityVersionHashesByName == other.entityVersionHashesByName)
    }

    @Test func aFileIsRecognizedWhenTheHashesHaveChanged() throws {
        let store = try MigratedStore()
        try store.write(MigratedStore.model())
        try store.inFile { connection in
            let read = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA").first { $0.blob(0) } ?? nil
            var metadata = try #require(
                try PropertyListSerialization.propertyList(from: Data(read ?? []), format: nil) as? [String: Any])
            let hashes = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
            metadata[NSStoreModelVersionHashesKey] = hashes.mapValues { _ in Data([1, 2, 3]) }
            let changed = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
            try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?").run(Array(changed))
        }
        let model = MigratedStore.model()
        #expect(store.failure(try MigratedStore.model { try $0.entity("Pet").name = "Cat" }, [:])?.code == 134_100)
        #expect(try store.open(model, [:]) { try $0.all("Person").count } == 3)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.file)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test func hostileContentsAreIgnored() throws {
        let store = try MigratedStore()
        try store.write(MigratedStore.model())
        let bomb = try #require(RawDeflate.compress([UInt8](repeating: 0, count: 20_000_000)))
        let unfinished = try #require(RawDeflate.compress(Array("<?xml <".utf8)))
        let contents: [[UInt8]] = [[], [1, 2, 3], bomb, unfinished]
        for content in contents {
            try store.inFile { _ = try $0.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?").run(content) }
            #expect(try cached(store) == nil)
        }
        #expect(try store.open(MigratedStore.model(), [:]) { try $0.all("Person").count } == 3)
    }
}

/// Expressions as the objects that they are, because Foundation calls their class deprecated.
enum NSExpressionOf {
    static func format(_ format: String) -> NSObject? { (try? PredicateOperand(validating: format))?.expression }
}
