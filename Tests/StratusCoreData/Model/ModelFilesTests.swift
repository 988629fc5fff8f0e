import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct ModelFilesTests {
    /// Returns the model of an XML text.
    private func model(_ xml: String) throws -> NSManagedObjectModel {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(xml.utf8).write(to: url.appendingPathComponent("contents"))
        return try NSManagedObjectModel(reading: url)
    }

    private static let shop = """
        <model userDefinedModelVersionIdentifier="2">
          <entity name="Thing" isAbstract="YES">
            <attribute name="created" attributeType="Date" defaultDateTimeInterval="60"/>
          </entity>
          <entity name="Item" representedClassName="Shop.Item" parentEntity="Thing" elementID="Article">
            <attribute name="title" attributeType="String" minValueString="2" maxValueString="4"
                regularExpressionString="[a-z]*"/>
            <attribute name="stock" optional="YES" attributeType="Integer 32" minValueString="0"
                defaultValueString="3" preserveAfterDeletion="YES"/>
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
                allowsCloudEncryption="YES"/>
            <attribute name="size" optional="YES" attributeType="Composite" composite="Size"/>
            <attribute name="tags" optional="YES" attributeType="Transformable" customClassName="NSArray"
                valueTransformerName="NSSecureUnarchiveFromData"/>
            <attribute name="plain" optional="YES" attributeType="String" derived="YES"
                derivationExpression="canonical:(title)"/>
            <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf"
                inverseName="items" inverseEntity="Shelf"/>
            <fetchedProperty name="others"><fetchRequest name="f" entity="Item" predicateString="stock > 1"/>
            </fetchedProperty>
            <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="descending"/>
              <fetchIndexElement expression="lowercase:(title)" expressionType="String" type="Binary"
                order="ascending"/></fetchIndex>
            <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
            </uniquenessConstraints>
            <userInfo><entry key="k" value="v"/></userInfo>
          </entity>
          <entity name="Shelf">
            <relationship name="items" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES"
                destinationEntity="Item" inverseName="shelf" inverseEntity="Item"/>
          </entity>
          <composite name="Size"><attribute name="width" attributeType="Double"/></composite>
          <fetchRequest name="Names" entity="Item" resultType="2"/>
          <fetchRequest name="InStock" entity="Item" predicateString="stock > $LEAST" fetchLimit="5"/>
          <configuration name="Local"><memberEntity name="Shelf"/></configuration>
        </model>
        """

    @Test func aFileHasWhatCodeCouldDescribe() throws {
        let model = try model(Self.shop)
        #expect(model.versionIdentifiers == ["2"])
        #expect(model.configurations == ["Local"])
        let item = try #require(model.entitiesByName["Item"])
        #expect(item.superentity === model.entitiesByName["Thing"])
        #expect(item.managedObjectClassName == "Shop.Item" && item.renamingIdentifier == "Article")
        #expect(model.entitiesByName["Shelf"]?.managedObjectClassName == "NSManagedObject")
        #expect(item.userInfo as? [String: String] == ["k": "v"])
        #expect(item.uniquenessConstraints as? [[String]] == [["title"]])
        let attributes = item.attributesByName
        #expect(attributes["created"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 60))
        #expect(attributes["stock"]?.defaultValue as? NSNumber == 3)
        #expect(attributes["stock"]?.preservesValueInHistoryOnDeletion == true)
        #expect(attributes["title"]?.isOptional == false && attributes["photo"]?.isOptional == true)
        #expect(attributes["photo"]?.allowsExternalBinaryDataStorage == true)
        #expect(attributes["photo"]?.allowsCloudEncryption == true)
        #expect(attributes["tags"]?.attributeValueClassName == "NSArray")
        #expect(attributes["tags"]?.valueTransformerName == "NSSecureUnarchiveFromData")
        let size = try #require(attributes["size"] as? NSCompositeAttributeDescription)
        #expect(size.elements.map(\.name) == ["width"])
        #expect(attributes["plain"] is NSDerivedAttributeDescription)
        let shelf = try #require(item.relationshipsByName["shelf"])
        #expect(!shelf.isToMany && shelf.inverseRelationship?.name == "items")
        #expect(
            shelf.inverseRelationship?.isOrdered == true && shelf.inverseRelationship?.deleteRule == .cascadeDeleteRule)
        let others = item.propertiesByName["others"] as? NSFetchedPropertyDescription
        #expect(others?.isTransient == true)
        let names = model.fetchRequestTemplate(forName: "Names")
        #expect(names?.resultType == .dictionaryResultType && names?.includesPendingChanges == false)
        #expect(others?.fetchRequest?.predicate == NSPredicate(format: "stock > 1"))
        let request = model.fetchRequestFromTemplate(withName: "InStock", substitutionVariables: ["LEAST": 2])
        #expect(request?.fetchLimit == 5 && request?.entity === item)
        #expect(request?.predicate?.predicateTree == NSPredicate(format: "stock > 2").predicateTree)
    }

    @Test func anIndexOfAnExpressionKeepsItAndItsCopiesDo() throws {
        let original = try model(Self.shop)
        for model in [original, try #require(original.copy() as? NSManagedObjectModel)] {
            let index = try #require(model.entitiesByName["Item"]?.indexes.first)
            #expect(index.elements.map(\.propertyName) == ["title", "lowercase:(title)"])
            #expect(index.elements.map(\.isAscending) == [false, true])
            let expression = try #require(index.elements[1].property as? NSExpressionDescription)
            #expect(expression.expressionResultType == .stringAttributeType)
        }
    }

    @Test(arguments: [
        ("title", "x", 1670), ("title", "abcde", 1660), ("title", "AB", 1680), ("stock", "-1", 1620),
    ])
    func boundsAreValidated(_ key: String, _ text: String, _ code: Int) throws {
        let model = try model(Self.shop)
        let object = NSManagedObject(entity: try #require(model.entitiesByName["Item"]), insertInto: nil)
        object.setValue("ab", forKey: "title")
        try object.validateForInsert()
        object.setValue(key == "stock" ? NSNumber(value: Int(text) ?? 0) : text, forKey: key)
        #expect {
            try object.validateForInsert()
        } throws: { ($0 as NSError).code == code && ($0 as NSError).domain == NSCocoaErrorDomain }
    }

    @Test func aPredicateThatCannotBeReadIsAnErrorWithItsLine() throws {
        let xml = """
            <model><entity name="A"/>
            <fetchRequest name="F" entity="A" predicateString="x ==="/></model>
            """
        #expect {
            try model(xml)
        } throws: { error in
            "\(error)".contains("contents:2: error: fetchRequest 'F' has predicate 'x ===', which cannot be read")
        }
    }

    @Test func aCompositeTypeThatContainsItselfIsRefused() throws {
        let xml = """
            <model><entity name="A"><attribute name="a" attributeType="Composite" composite="C"/></entity>
            <composite name="C"><attribute name="c" attributeType="Composite" composite="C"/></composite></model>
            """
        #expect {
            try model(xml)
        } throws: { "\($0)".contains("attribute 'c' of 'C' contains itself") }
    }

    @Test func compositeTypesThatMultiplyAreRefused() throws {
        let types = (0..<15).map { number in
            let parts = (0..<8).map { part in
                #"<attribute name="p\#(part)" attributeType="Composite" composite="C\#(number + 1)"/>"#
            }
            return #"<composite name="C\#(number)">\#(parts.joined())</composite>"#
        }
        let xml = """
            <model><entity name="A"><attribute name="a" attributeType="Composite" composite="C0"/></entity>
            \(types.joined())<composite name="C15"><attribute name="c" attributeType="String"/></composite></model>
            """
        #expect {
            try model(xml)
        } throws: { "\($0)".contains("stands for more than 50000 attributes") }
    }

    @Test func aFileThatCannotBeReadGivesNoModel() {
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/A.xcdatamodeld")) == nil)
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/A.txt")) == nil)
    }

    @Test(arguments: [100, 101, 5_000]) func entitiesInheritFromALimitedNumberOfOthers(_ count: Int) throws {
        let entities = (0..<count).map { number in
            #"<entity name="E\#(number)"\#(number == 0 ? "" : " parentEntity=\"E\(number - 1)\"")/>"#
        }
        let xml = "<model>\(entities.joined())</model>"
        guard count > 100 else {
            #expect(try model(xml).entities.count == count)
            return
        }
        #expect {
            try model(xml)
        } throws: { "\($0)".contains("inherits from more than 100 entities") }
    }
}
