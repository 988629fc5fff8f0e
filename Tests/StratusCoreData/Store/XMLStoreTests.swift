import Foundation
import StratusCoreData
import Testing

/// Stores in XML files.
@Suite final class XMLStoreTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xml")

    deinit { try? FileManager.default.removeItem(at: file) }

    private func open(_ family: Family) throws -> Family {
        try family.context.persistentStoreCoordinator?.addPersistentStore(type: .xml, at: file)
        return family
    }

    /// A model with an attribute of each type, and an ordered relationship.
    private func family() throws -> Family {
        try open(
            Family(isOrdered: true) { model in
                let types: [(String, NSAttributeDescription.AttributeType)] = [
                    ("flag", .boolean), ("size", .integer64), ("price", .decimal), ("ratio", .double), ("born", .date),
                    ("photo", .binaryData), ("code", .uuid), ("homePage", .uri), ("tags", .transformable),
                ]
                for (name, type) in types {
                    let attribute = NSAttributeDescription.make(name, type)
                    attribute.isOptional = true
                    model.entitiesByName["Parent"]?.properties.append(attribute)
                }
            })
    }

    @Test func valuesOfAllTypesAndRelationshipsAreReadBack() throws {
        let values: [String: Any] = [
            "name": "<Ann> & \"Ben\"\n\tline", "flag": true, "size": Int64.min,
            "price": try #require(Decimal(string: "12.345678901")), "ratio": 0.1,
            "born": Date(timeIntervalSinceReferenceDate: 445_103_622.123_456), "photo": Data([0, 255, 7]),
            "code": UUID(), "homePage": try #require(URL(string: "https://example.org/?a=1&b=2")),
            "tags": ["a", "b"] as NSArray,
        ]
        let first = try family()
        try first.run { (family: Family) throws in
            let parent = family.insert("Parent")
            for (name, value) in values { parent.setValue(value, forKey: name) }
            let children = ["Zed", "Amy", "Kim"].map { family.insert("Child", named: $0) }
            parent.setValue(NSOrderedSet(array: children), forKey: "children")
            try family.context.save()
        }
        try family().run { (family: Family) throws in
            let parent = try #require(try family.fetch("Parent").first)
            for (name, value) in values {
                let read = try #require(parent.value(forKey: name) as? NSObject)
                #expect(read == value as? NSObject, "\(name)")
            }
            let children = parent.value(forKey: "children") as? NSOrderedSet
            #expect(children?.array.compactMap { ($0 as? NSManagedObject)?.label } == ["Zed", "Amy", "Kim"])
        }
    }

    @Test func theFileIsInApplesFormat() throws {
        _ = try open(Family()).save("Ann", with: ["Ben"])
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">"))
        #expect(text.contains("<attribute name=\"name\" type=\"string\">Ann</attribute>"))
        #expect(text.contains("<relationship name=\"parent\" type=\"0/1\" destination=\"PARENT\" idrefs=\"z10"))
        #expect(text.contains("<nextObjectID>104</nextObjectID>"))
    }

    @Test func aFileOfAMacIsReadAndChanged() throws {
        let text = """
            <?xml version="1.0"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>134481920</version>
                    <UUID>7DFA6DAB-A071-4B34-8DFB-BAC65DD66FDE</UUID>
                    <nextObjectID>105</nextObjectID>
                    <metadata></metadata>
                </databaseInfo>
                <object type="PARENT" id="z104">
                    <attribute name="name" type="string">Ann</attribute>
                    <relationship name="children" type="0/0" destination="CHILD" idrefs="z102"></relationship>
                </object>
                <object type="CHILD" id="z102">
                    <attribute name="name" type="string">Ben</attribute>
                    <attribute name="age" type="int16">7</attribute>
                    <relationship name="parent" type="0/1" destination="PARENT" idrefs="z104"></relationship>
                </object>
                <object type="CHILD" id="z103">
                    <attribute name="name" type="string">Cid</attribute>
                    <relationship name="parent" type="0/1" destination="PARENT"></relationship>
                </object>
            </database>

            """
        try Data(text.utf8).write(to: file)
        let first = try open(Family())
        try first.run { (family: Family) throws in
            #expect(try family.names("Child", NSPredicate(format: "parent.name == 'Ann' AND age == 7")) == ["Ben"])
            let id = try family.fetch("Parent")[0].objectID
            #expect(
                id.uriRepresentation().absoluteString
                    == "x-coredata://7DFA6DAB-A071-4B34-8DFB-BAC65DD66FDE/Parent/p104")
            family.context.delete(try family.fetch("Child")[1])
            let new = family.insert("Child", named: "Dan")
            try family.context.save()
            #expect(new.objectID.uriRepresentation().lastPathComponent == "p105")
        }
        #expect(try open(Family()).run { try $0.names("Child") } == ["Ben", "Dan"])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .xml, at: file)
        #expect(metadata[NSStoreUUIDKey] as? String == "7DFA6DAB-A071-4B34-8DFB-BAC65DD66FDE")
    }

    @Test(arguments: [
        "", "no XML", "<database/>", "<database><databaseInfo><UUID>A</UUID></databaseInfo><object/></database>",
        "<!DOCTYPE x [<!ENTITY a \"b\">]><database><databaseInfo><UUID>&a;</UUID></databaseInfo></database>",
        "<database><databaseInfo><UUID>A</UUID></databaseInfo><object type=\"PARENT\" id=\"z1\">"
            + "<relationship name=\"children\" idrefs=\"z9\"/></object></database>",
        "<database><databaseInfo><UUID>A</UUID></databaseInfo><object type=\"CHILD\" id=\"z1\">"
            + "<attribute name=\"age\">old</attribute></object></database>",
    ])
    func damagedFilesAreErrorsAndStayAsTheyAre(_ text: String) throws {
        try Data(text.utf8).write(to: file)
        let error = #expect(throws: CocoaError.self) { try open(Family()) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(try Data(contentsOf: file) == Data(text.utf8))
    }

    /// Objects of the store refer to each other, some are deleted, and the program drops the coordinator or removes the
    /// store before.
    @Test(arguments: [true, false]) func aStoreThatIsNotUsedIsReleased(_ isRemoved: Bool) throws {
        weak var store: NSPersistentStore?
        weak var node: NSAtomicStoreCacheNode?
        try {
            let family = try open(Family())
            let ann = try family.save("Ann", with: ["Bob"])
            _ = try family.save("Eve", with: ["Cid"])
            let coordinator = try #require(family.context.persistentStoreCoordinator)
            let opened = try #require(coordinator.persistentStores.first as? NSAtomicStore)
            store = opened
            node = opened.cacheNode(for: ann)
            #expect(node != nil)
            try family.run { (family: Family) throws in
                family.context.delete(try family.context.existingObject(with: ann))
                try family.context.save()
            }
            if isRemoved { try coordinator.remove(opened) }
        }()
        #expect(store == nil && node == nil)
    }

    @Test func aStoreOfAnotherModelOrWithControlCharactersIsRefused() throws {
        let first = try open(Family())
        _ = try first.save("Ann")
        let other = Family { model in
            model.entitiesByName["Parent"]?.properties.append(NSAttributeDescription.make("size", .integer16))
        }
        let error = #expect(throws: CocoaError.self) { try open(other) }
        #expect(error?.code == .persistentStoreIncompatibleVersionHash)
        #expect(throws: CocoaError.self) { try first.save("\u{1}") }
        #expect(try open(Family()).run { try $0.names("Parent") } == ["Ann"])
    }
}
