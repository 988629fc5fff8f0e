import Foundation
import StratusModelFiles
import StratusSeeds
import Testing

@Suite struct ModelReaderTests {
    private func read(_ text: String) throws(ModelFileError) -> ModelDocument {
        try ModelReader.read(Array(text.utf8), file: "M/contents")
    }

    /// Returns a model with an entity `Book` around its properties, which begin on line 2.
    private func book(_ properties: String) -> String {
        "<model><entity name=\"Book\">\n\(properties)\n</entity></model>"
    }

    @Test func aWrittenModelIsReadBack() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<300 {
            let model = RandomModel.draw(&random)
            let xml = ModelWriter.xml(model)
            #expect(try read(xml) == model, "\(random)")
        }
    }

    /// Mutated files never stop the reader, and what it accepts is written and read back as the same.
    @Test func mutatedFilesAreReadOrRefused() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<300 {
            var bytes = Array(ModelWriter.xml(RandomModel.draw(&random)).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 32...126, using: &random), at: index)
                }
            }
            guard let model = try? ModelReader.read(bytes, file: "M") else { continue }
            #expect(try read(ModelWriter.xml(model)) == model, "\(random)")
        }
    }

    @Test func whatAFileLeavesOutIsNotSet() throws {
        let model = try read(
            book(
                """
                <attribute name="title" attributeType="String"/>
                <attribute name="anything" transient="YES"/>
                <relationship name="sequel" destinationEntity="Book"/>
                <relationship name="parts" toMany="YES" destinationEntity="Book"/>
                """))
        let entity = model.entities[0]
        #expect(entity.className == nil && !entity.isAbstract && entity.codeGeneration == .manual)
        #expect(!entity.attributes[0].options.isOptional && entity.attributes[0].defaultValue == nil)
        #expect(entity.attributes[1].type == .undefined)
        #expect(entity.relationships.map(\.maximumCount) == [1, 0])
        #expect(entity.relationships.map(\.deleteRule) == [.nullify, .nullify])
    }

    @Test func indexesOfOlderModelsAreRead() throws {
        let model = try read(
            book(
                """
                <attribute name="a" attributeType="String" indexed="YES"/><attribute name="b" attributeType="String"/>
                <compoundIndexes><compoundIndex><index value="b"/><index value="a"/></compoundIndex></compoundIndexes>
                """))
        #expect(model.entities[0].indexes.map(\.name) == ["b_a", "a"])
        #expect(
            model.entities[0].indexes[0].elements == [
                ModelIndexElement(.property("b")), ModelIndexElement(.property("a")),
            ])
    }

    @Test func defaultsAreReadAsXcodeWritesThem() throws {
        func value(_ type: String, _ text: String) throws -> ModelValue? {
            let text = #"<attribute name="a" attributeType="\#(type)" defaultValueString="\#(text)"/>"#
            return try read(book(text)).entities[0].attributes[0].defaultValue
        }
        #expect(try value("Integer 32", "1.0") == .integer(1))
        // An attribute that was a Boolean before keeps the text.
        #expect(try value("Integer 16", "NO") == .integer(0))
        #expect(try value("Boolean", "YES") == .boolean(true))
        #expect(try value("Boolean", "0") == .boolean(false))
        #expect(try value("String", "&quot;&quot;") == .string("\"\""))
        #expect(try value("String", "") == .string(""))
        #expect(try value("UUID", "") == nil)
        #expect(try value("Date", "now") == nil)
    }

    @Test(arguments: [
        (#"<attribute attributeType="String"/>"#, "attribute of entity 'Book' has no name"),
        (
            #"<attribute name="a" attributeType="Text"/>"#,
            "attribute 'a' of entity 'Book' has an invalid attributeType, 'Text'"
        ),
        (
            #"<attribute name="a" attributeType="Integer 16" defaultValueString="many"/>"#,
            "attribute 'a' of entity 'Book' has an invalid defaultValueString, 'many'"
        ),
        (
            #"<attribute name="a" attributeType="Date" defaultDateTimeInterval="inf"/>"#,
            "attribute 'a' of entity 'Book' has an invalid defaultDateTimeInterval, 'inf'"
        ),
        (
            #"<attribute name="a" attributeType="String" regularExpressionString="["/>"#,
            "attribute 'a' of entity 'Book' has an invalid regularExpressionString, '['"
        ),
        (
            #"<attribute name="a" optional="maybe"/>"#,
            "attribute 'a' of entity 'Book' has an invalid optional, 'maybe'"
        ),
        (
            #"<attribute name="a"/><attribute name="a"/>"#,
            "attribute 'a' of entity 'Book' has the name of another property"
        ),
        (
            #"<attribute name="a" attributeType="Composite" composite="C"/>"#,
            "attribute 'a' of entity 'Book' has the composite type 'C', which the model does not have"
        ),
        (#"<attribute name="a" derived="YES"/>"#, "attribute 'a' of entity 'Book' has no derivationExpression"),
        (#"<relationship name="r"/>"#, "relationship 'r' of entity 'Book' has no destinationEntity"),
        (
            #"<relationship name="r" destinationEntity="Author"/>"#,
            "relationship 'r' of entity 'Book' leads to entity 'Author', which the model does not have"
        ),
        (
            #"<relationship name="r" destinationEntity="Book" inverseName="s"/>"#,
            "relationship 'r' of entity 'Book' has the inverse 's', which entity 'Book' does not have"
        ),
        (
            #"<relationship name="r" destinationEntity="Book" deletionRule="Forget"/>"#,
            "relationship 'r' of entity 'Book' has an invalid deletionRule, 'Forget'"
        ),
        (
            #"<relationship name="r" destinationEntity="Book" maxCount="-1"/>"#,
            "relationship 'r' of entity 'Book' has an invalid maxCount, '-1'"
        ),
        (#"<fetchedProperty name="f"/>"#, "fetchedProperty 'f' of entity 'Book' has no fetch request"),
    ])
    func errorsNameFileLineElementAndReason(_ property: String, _ expected: String) {
        #expect {
            try read(book(property))
        } throws: { "\($0)" == "M/contents:2: error: \(expected)" }
    }

    @Test(arguments: [
        ("<plist/>", "M/contents:1: error: plist is not the element of a model"),
        ("<model>\n<entity>", "M/contents:2: error: the model is not well-formed XML"),
        (
            "<!DOCTYPE model [<!ENTITY a 'b'>]><model/>",
            "M/contents:1: error: the model has a document type declaration, which is not allowed"
        ),
        (
            #"<model><entity name="A"/><entity name="A"/></model>"#,
            "M/contents:1: error: entity 'A' has the name of another one"
        ),
        (
            #"<model><entity name="A" parentEntity="B"/><entity name="B" parentEntity="A"/></model>"#,
            "M/contents:1: error: entity 'A' inherits from itself"
        ),
        (
            #"<model><entity name="A" parentEntity="B"/></model>"#,
            "M/contents:1: error: entity 'A' inherits from entity 'B', which the model does not have"
        ),
        (
            #"<model><configuration name="C"><memberEntity name="A"/></configuration></model>"#,
            "M/contents:1: error: configuration 'C' has entity 'A', which the model does not have"
        ),
        (
            #"<model><fetchRequest name="F" entity="A"/></model>"#,
            "M/contents:1: error: fetchRequest 'F' fetches entity 'A', which the model does not have"
        ),
    ])
    func wrongModelsAreRefused(_ text: String, _ expected: String) {
        #expect {
            try read(text)
        } throws: { "\($0)" == expected }
    }

    @Test func filesAreBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<model>", count: depth) + String(repeating: "</model>", count: depth)
        }
        _ = try read(nested(ModelFileLimits.elementDepth))
        #expect(throws: ModelFileError.self) { try read(nested(ModelFileLimits.elementDepth + 1)) }
        func many(_ count: Int) -> String { "<model>" + String(repeating: "<a/>", count: count - 1) + "</model>" }
        _ = try read(many(ModelFileLimits.elements))
        #expect(throws: ModelFileError.self) { try read(many(ModelFileLimits.elements + 1)) }
        func long(_ size: Int) -> String { "<model>" + String(repeating: " ", count: size - 15) + "</model>" }
        _ = try read(long(ModelFileLimits.fileSize))
        #expect(throws: ModelFileError.self) { try read(long(ModelFileLimits.fileSize + 1)) }
    }
}
