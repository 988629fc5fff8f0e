import StratusModelCode
import StratusModelFiles
import Testing

@Suite struct ModelClassesTests {
    private func source(_ entities: String) throws(ModelFileError) -> String {
        let model = try ModelReader.read(Array("<model>\(entities)</model>".utf8), file: "M")
        return try ModelClasses.source(of: model, file: "M")
    }

    @Test func aCategoryHasNoClass() throws {
        let text = try source(#"<entity name="A" representedClassName="App.A" codeGenerationType="category"/>"#)
        #expect(!text.contains("class A"))
        #expect(text.contains("extension A {"))
    }

    @Test(arguments: [
        #"<entity name="A" representedClassName="A"/>"#, #"<entity name="A" codeGenerationType="class"/>"#,
        #"<entity name="A" representedClassName="NSManagedObject" codeGenerationType="class"/>"#,
    ])
    func entitiesWithoutGeneratedClassesGetNone(_ entity: String) throws {
        #expect(try source(entity) == "import CoreData\nimport Foundation\n")
    }

    @Test func aClassInheritsAsItsEntityDoes() throws {
        let text = try source(
            #"<entity name="A" representedClassName=".A" codeGenerationType="class"/>"#
                + #"<entity name="B" representedClassName="B" parentEntity="A" codeGenerationType="class"/>"#)
        #expect(text.contains("public class A: NSManagedObject {}") && text.contains("public class B: A {}"))
        #expect(text.contains("extension A: Identifiable {}") && !text.contains("extension B: Identifiable"))
    }

    @Test func relationshipsHaveTheClassesOfTheirDestinations() throws {
        let text = try source(
            #"<entity name="A" representedClassName="A" codeGenerationType="class">"#
                + #"<relationship name="b" destinationEntity="B"/>"#
                + #"<relationship name="c" toMany="YES" destinationEntity="C"/></entity>"#
                + #"<entity name="B" representedClassName="App.BObject"/><entity name="C"/>"#)
        #expect(text.contains("var b: BObject?") && text.contains("var c: NSSet?"))
        #expect(text.contains("addToC(_ value: NSManagedObject) { addManagedObject(value, forKey: \"c\") }"))
        #expect(!text.contains("insertIntoC"))
    }

    /// The names of the model may contain the words of the accessors' own templates.
    @Test func accessorsHaveTheNamesOfTheModel() throws {
        let text = try source(
            #"<entity name="A" representedClassName="A" codeGenerationType="class">"#
                + #"<relationship name="members" toMany="YES" destinationEntity="C"/></entity>"#
                + #"<entity name="C" representedClassName="MemberCollection"/>"#)
        #expect(text.contains("addToMembers(_ value: MemberCollection)"))
        #expect(text.contains("addToMembers(_ values: NSSet)"))
    }

    @Test(arguments: [
        (#"<entity name="A" representedClassName="A B" codeGenerationType="class"/>"#, "class 'A B'"),
        (
            #"<entity name="A" representedClassName="A" codeGenerationType="class"><attribute name="x{}"/></entity>"#,
            "property 'x{}'"
        ),
        (
            #"<entity name="A" representedClassName="A" codeGenerationType="class"><attribute name="1"/></entity>"#,
            "property '1'"
        ),
    ])
    func namesThatAreNoNamesInSwiftAreRefused(_ entity: String, _ name: String) {
        #expect {
            try source(entity)
        } throws: { "\($0)" == "M: error: entity 'A' has a \(name), which is no name in Swift" }
    }
}
