import Foundation
import Testing

@testable import StratusCoreData

/// Archives of Apple's Core Data: mapping models, and models in store files.
@Suite struct ArchivedMappingTests {
    private typealias Value = BinaryListWriter.Value

    /// A compiled mapping of items to articles, with a policy.
    private func mapping(_ hash: Data) -> [UInt8] {
        let writer = ArchiveWriter()
        let source = writer.keyPath("title", of: writer.variable("source"))
        let call = writer.function(
            "text:", [writer.constant(writer.text("a")), source], of: writer.variable("entityPolicy"))
        let request = writer.function(
            "fetchRequestForSourceEntityNamed:predicateString:",
            [writer.constant(writer.text("Item")), writer.constant(writer.text("stock > 3"))],
            of: writer.variable("manager"))
        let fetch = writer.object(
            "NSFetchRequestExpression", [("NSExpressionType", .number(50)), ("NSFRExpression", request)])
        func property(_ name: String, _ value: Value) -> Value {
            writer.object(
                "NSPropertyMapping", [("NSDestinationPropertyName", writer.text(name)), ("NSValueExpression", value)])
        }
        let entity = writer.object(
            "NSEntityMapping",
            [
                ("NSMappingName", writer.text("ItemToArticle")), ("NSMappingType", .number(5)),
                ("NSSourceEntityName", writer.text("Item")), ("NSDestinationEntityName", writer.text("Article")),
                ("NSSourceEntityVersionHash", writer.add(.bytes(Array(hash)))), ("NSSourceExpression", fetch),
                ("NSEntityMigrationPolicyClassName", writer.text("Shop.Policy")),
                ("NSAttributeMappings", writer.array([property("name", call), property("title", source)])),
                ("NSRelationshipMappings", writer.array([property("shelf", .uid(0))])),
            ])
        return writer.bytes(
            root: writer.object("NSMappingModel", [("NSEntityMappings", writer.array([entity]))]))
    }

    private func file(_ bytes: [UInt8]) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".cdm")
        try Data(bytes).write(to: file)
        return file
    }

    @Test func aCompiledMappingModelIsRead() throws {
        let file = try file(mapping(Data([1, 2])))
        defer { try? FileManager.default.removeItem(at: file) }
        let model = try #require(NSMappingModel(contentsOf: file))
        let mapping = try #require(model.entityMappingsByName["ItemToArticle"])
        #expect(mapping.mappingType == .transformEntityMappingType)
        #expect(mapping.sourceEntityName == "Item" && mapping.destinationEntityName == "Article")
        #expect(mapping.sourceEntityVersionHash == Data([1, 2]))
        #expect(mapping.entityMigrationPolicyClassName == "Shop.Policy")
        let formats = mapping.attributeMappings?.map { $0.value?.description ?? "" }
        #expect(formats == [#"FUNCTION($entityPolicy, "text:", "a", $source.title)"#, "$source.title"])
        #expect(mapping.relationshipMappings?.map(\.name) == ["shelf"])
        #expect(mapping.relationshipMappings?.first?.value == nil)
        #expect(mapping.source?.description.contains("fetchRequestForSourceEntityNamed:predicateString:") == true)
    }

    @Test func damagedMappingModelsAreNone() throws {
        let whole = mapping(Data([1]))
        for bytes in [[], Array(whole.prefix(whole.count / 2)), CompiledShop.bytes()] {
            let file = try file(bytes)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(NSMappingModel(contentsOf: file) == nil)
        }
        #expect(NSMappingModel(contentsOf: nil) == nil)
    }

    @Test func theModelInAMacsFileIsRead() throws {
        let store = try MigratedStore()
        let model = try NSManagedObjectModel(
            try ArchivedModel.read(CompiledShop.bytes(), file: "Shop.mom"), file: "Shop.mom")
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        try store.open(model) { _ in }
        let hashes = ["Thing", "Item", "Shelf"].map { ($0, Data($0.utf8)) }
        try store.inFile { connection in
            let read = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA").first { $0.blob(0) } ?? nil
            var metadata = try #require(
                try PropertyListSerialization.propertyList(from: Data(read ?? []), format: nil) as? [String: Any])
            metadata[NSStoreModelVersionHashesKey] = Dictionary(uniqueKeysWithValues: hashes)
            let list = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
            try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?").run(Array(list))
            let content = try #require(RawDeflate.compress(CompiledShop.bytes(inStore: true)))
            try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?").run(content)
        }
        #expect(try store.open(model, [:]) { try $0.all("Item", by: "title").count } == 0)
        // A Mac still recognizes the file.
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.file)
        #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == Dictionary(uniqueKeysWithValues: hashes))
    }
}
