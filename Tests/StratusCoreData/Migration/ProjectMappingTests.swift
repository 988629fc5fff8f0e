import Foundation
import Testing

@testable import StratusCoreData

/// Mapping models as projects have them, before Xcode compiles them.
@Suite final class ProjectMappingTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var store: URL { folder.appendingPathComponent("store.sqlite") }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A model of parents with children; the second version has titles in place of names.
    private func family(_ name: String) -> Family {
        Family(childrenRule: .nullifyDeleteRule) { model in
            model.entitiesByName["Parent"]?.attributesByName["name"]?.name = name
        }
    }

    /// Writes a mapping of the entities with Xcode's objects.
    private func write(title: String) throws {
        func attribute(_ name: String, _ text: String) -> String {
            "<attribute name=\"\(name)\" type=\"string\">\(text)</attribute>"
        }
        func object(_ type: String, _ id: Int, _ content: String...) -> String {
            "<object type=\"\(type)\" id=\"z\(id)\">\(content.joined())</object>"
        }
        func references(_ name: String, _ ids: Int...) -> String {
            let list = ids.map { "z\($0)" }.joined(separator: " ")
            return "<relationship name=\"\(name)\" type=\"0/0\" destination=\"X\" idrefs=\"\(list)\"></relationship>"
        }
        let automatic = attribute("autogenerateexpression", "1")
        let archive = ArchiveWriter()
        let value = archive.keyPath("name", of: archive.variable("source"))
        let data = Data(archive.bytes(root: value)).base64EncodedString()
        let objects = [
            object("XDDEVATTRIBUTEMAPPING", 110, attribute("name", title), attribute("valueexpressiondata", data)),
            object("XDDEVRELATIONSHIPMAPPING", 111, attribute("name", "children"), automatic),
            object("XDDEVATTRIBUTEMAPPING", 112, attribute("name", "name"), automatic),
            object("XDDEVATTRIBUTEMAPPING", 113, attribute("name", "age"), automatic),
            object("XDDEVRELATIONSHIPMAPPING", 114, attribute("name", "parent"), automatic),
            object(
                "XDDEVENTITYMAPPING", 102, attribute("sourcename", "Child"), attribute("destinationname", "Child"),
                attribute("mappingnumber", "2"), attribute("sourcefilterpredicatestring", "age &lt; 10"), automatic,
                references("attributemappings", 112, 113), references("relationshipmappings", 114)),
            object(
                "XDDEVENTITYMAPPING", 101, attribute("sourcename", "Parent"), attribute("destinationname", "Parent"),
                attribute("mappingnumber", "1"), automatic, references("attributemappings", 110),
                references("relationshipmappings", 111)),
            object("XDDEVMAPPINGMODEL", 100, references("entitymappings", 102, 101)),
        ]
        let text = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database><databaseInfo><UUID>A</UUID><metadata></metadata></databaseInfo>\(objects.joined())</database>
            """
        let mapping = folder.appendingPathComponent("First.xcmappingmodel")
        try FileManager.default.createDirectory(at: mapping, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: mapping.appendingPathComponent("xcmapping.xml"))
    }

    @Test func aStoreIsMigratedAsTheAuthorSays() throws {
        try write(title: "title")
        let former = try family("name").withStore(store)
        try former.run { (family: Family) throws in
            let parent = family.insert("Parent", named: "Ann")
            for (name, age) in [("Bob", 7), ("Cid", 12)] {
                let child = family.insert("Child", named: name)
                child.setValue(age, forKey: "age")
                child.setValue(parent, forKey: "parent")
            }
            try family.context.save()
        }
        let coordinator = try #require(former.context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let bundle = try #require(Bundle(path: folder.path))
        let next = family("title")
        let mapping = try #require(
            NSMappingModel(from: [bundle], forSourceModel: former.model, destinationModel: next.model))
        #expect(mapping.entityMappings.map(\.name) == ["ParentToParent", "ChildToChild"])
        #expect(mapping.entityMappings.map(\.mappingType) == [.transformEntityMappingType, .copyEntityMappingType])
        let migrated = folder.appendingPathComponent("next.sqlite")
        try NSMigrationManager(sourceModel: former.model, destinationModel: next.model).migrateStore(
            from: store, type: .sqlite, mapping: mapping, to: migrated, type: .sqlite)
        try next.withStore(migrated).run { (family: Family) throws in
            let parents = try family.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Parent"))
            #expect(parents.map { $0.value(forKey: "title") as? String } == ["Ann"])
            #expect(parents[0].names("children") == ["Bob"])
            #expect(try family.names("Child") == ["Bob"])
        }
    }

    @Test func aMappingOfOtherVersionsIsNotUsed() throws {
        try write(title: "heading")
        let bundle = try #require(Bundle(path: folder.path))
        #expect(
            NSMappingModel(
                from: [bundle], forSourceModel: family("name").model, destinationModel: family("title").model) == nil)
    }
}
