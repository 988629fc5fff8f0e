import Foundation
import StratusSeeds
import Testing

@testable import StratusCoreData

/// Writes words with commas between them.
final class WordsTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? [String]).map { Data($0.joined(separator: ",").utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init) }
    }
}

final class TextsTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [NSArray.self, NSString.self] }
}

/// A value of a class of the program.
final class Spot: NSObject, NSSecureCoding {
    static let supportsSecureCoding = true
    let number: Int

    init(_ number: Int) { self.number = number }

    init?(coder: NSCoder) { number = coder.decodeInteger(forKey: "number") }

    func encode(with coder: NSCoder) { coder.encode(number, forKey: "number") }
}

@Suite struct TransformableTests {
    private func attribute(_ transformer: String?) -> NSAttributeDescription {
        let attribute = NSAttributeDescription.make("words", .transformable)
        attribute.valueTransformerName = transformer
        return attribute
    }

    @Test func aModelMayLeaveOutTheModuleOfAValuesClass() throws {
        let attribute = attribute("NSSecureUnarchiveFromData")
        attribute.attributeValueClassName = "Spot"
        let (entity, model) = (NSEntityDescription(), NSManagedObjectModel())
        entity.name = "Entity"
        entity.properties = [attribute]
        model.entities = [entity]
        model.modules = ["StratusCoreDataTests"]
        let data = try TransformableValue.data(of: Spot(3), attribute)
        #expect((TransformableValue.value(of: data, attribute) as? Spot)?.number == 3)
    }

    @Test func aRegisteredTransformerMakesTheData() throws {
        let name = NSValueTransformerName("Words\(UUID().uuidString)")
        ValueTransformer.setValueTransformer(WordsTransformer(), forName: name)
        defer { ValueTransformer.setValueTransformer(nil, forName: name) }
        let attribute = attribute(name.rawValue)
        let data = try TransformableValue.data(of: ["a", "b"], attribute)
        #expect(data == Data("a,b".utf8))
        #expect(TransformableValue.value(of: data, attribute) as? [String] == ["a", "b"])
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect {
            try TransformableValue.data(of: 1, attribute)
        } throws: { $0.localizedDescription.contains("makes no data of attribute 'words'") }
    }

    @Test func aTransformerOfArchivesIsUsedBackwards() throws {
        // Found by the name of its class, without a registration.
        let attribute = attribute("StratusCoreDataTests.TextsTransformer")
        let data = try TransformableValue.data(of: ["a"], attribute)
        #expect(TransformableValue.value(of: data, attribute) as? [String] == ["a"])
        let other = try TransformableValue.data(of: ["k": "v"], self.attribute(nil))
        #expect(TransformableValue.value(of: other, attribute) == nil)
        #expect(TransformableValue.value(of: Data("no archive".utf8), attribute) == nil)
    }

    @Test(arguments: [nil, "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"])
    func otherwiseValuesAreSecureArchives(_ name: String?) throws {
        let data = try TransformableValue.data(of: ["k": [1, 2]], attribute(name))
        let value = TransformableValue.value(of: data, attribute(name)) as? [String: [Int]]
        #expect(value == ["k": [1, 2]])
        #expect(throws: (any Error).self) { try TransformableValue.data(of: NSObject(), attribute(name)) }
    }

    /// Foundation on Linux would stop the program.
    @Test func archivesOfOtherClassesAreNoValues() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: [NSIndexSet(index: 1)], requiringSecureCoding: true)
        #expect(TransformableValue.value(of: archive, attribute(nil)) == nil)
        let other = attribute(nil)
        other.attributeValueClassName = "NSIndexSet"
        #expect((TransformableValue.value(of: archive, other) as? [NSIndexSet])?.first?.contains(1) == true)
        let values: [Any] = ["é", 1.5, true, Date(timeIntervalSince1970: 5), UUID(), Data([1]), NSNull()]
        let data = try TransformableValue.data(of: values, attribute(nil))
        #expect((TransformableValue.value(of: data, attribute(nil)) as? [Any])?.count == values.count)
    }

    /// Foundation on Linux would stop the program when it archives or compares them.
    @Test(arguments: ["NSArray", "NSMutableArray", "NSDictionary"])
    func keysAndMembersOfSetsAreNeitherArraysNorDictionaries(_ name: String) throws {
        func object(_ writer: ArchiveWriter) -> ArchiveWriter.Value {
            writer.object(name, [("NS.keys", .list([writer.text("k")])), ("NS.objects", .list([writer.text("a")]))])
        }
        let writer = ArchiveWriter()
        let members = [
            ("NS.keys", ArchiveWriter.Value.list([object(writer)])), ("NS.objects", .list([writer.text("1")])),
        ]
        let dictionary = Data(writer.bytes(root: writer.object("NSDictionary", members)))
        #expect(TransformableValue.value(of: dictionary, attribute(nil)) == nil)
        let other = ArchiveWriter()
        let set = Data(other.bytes(root: other.object("NSMutableSet", [("NS.objects", .list([object(other)]))])))
        #expect(TransformableValue.value(of: set, attribute(nil)) == nil)
    }

    @Test func suchKeysAndMembersAreNotSaved() {
        let values: [NSObject] = [
            NSSet(object: ["k": 1] as NSDictionary), NSSet(object: ["a"] as NSArray), NSSet(object: NSObject()),
            NSDictionary(object: 1, forKey: ["k": 1] as NSDictionary), [NSSet(object: [1] as NSArray)] as NSArray,
        ]
        for value in values {
            #expect(throws: (any Error).self) { try TransformableValue.data(of: value, attribute(nil)) }
        }
    }

    /// Foundation on Linux would read beyond the end of the keys.
    @Test(arguments: [["a"], ["a", "b", "c"], []])
    func aDictionaryNeedsAKeyForEachObject(_ keys: [String]) {
        let writer = ArchiveWriter()
        let objects = [writer.text("1"), writer.text("2")]
        let members = [
            ("NS.keys", ArchiveWriter.Value.list(keys.map { writer.text($0) })), ("NS.objects", .list(objects)),
        ]
        for name in ["NSDictionary", "NSMutableDictionary"] {
            let dictionary = writer.object(name, members)
            for root in [dictionary, writer.array([dictionary], "NSArray")] {
                #expect(TransformableValue.value(of: Data(writer.bytes(root: root)), attribute(nil)) == nil)
            }
        }
        let other = ArchiveWriter()
        let values = [other.text("1"), other.text("2")]
        let complete = other.object(
            "NSDictionary",
            [
                ("NS.keys", .list([other.text("a"), other.text("b")])), ("NS.objects", .list(values)),
            ])
        let value = TransformableValue.value(of: Data(other.bytes(root: complete)), attribute(nil))
        #expect(value as? [String: String] == ["a": "1", "b": "2"])
    }

    /// Foundation on Linux leaves such a member out, and then reads beyond the end.
    @Test func aDictionaryNeedsMembersThatCanBeMade() {
        let writer = ArchiveWriter()
        let identifier = writer.object("NSUUID", [("NS.uuidbytes", .bytes([1, 2, 3]))])
        let address = writer.object("NSURL", [("NS.base", .uid(0)), ("NS.relative", .uid(0))])
        for member in [identifier, address, ArchiveWriter.Value.uid(0)] {
            let key = writer.text("k")
            for (keys, objects) in [([key], [member]), ([member], [key])] {
                let members = [("NS.keys", ArchiveWriter.Value.list(keys)), ("NS.objects", .list(objects))]
                let dictionary = writer.object("NSDictionary", members)
                let value = TransformableValue.value(of: Data(writer.bytes(root: dictionary)), attribute(nil))
                #expect(value == nil)
            }
        }
    }

    @Test func setsAndKeysWithNullAreReadAsEqualObjects() throws {
        let null = NSNull()
        for value in [NSSet(array: [null]), NSDictionary(objects: ["a" as NSString], forKeys: [null])] {
            let data = try TransformableValue.data(of: value, attribute(nil))
            let first = try #require(TransformableValue.value(of: data, attribute(nil)) as? NSObject)
            #expect(first.isEqual(TransformableValue.value(of: data, attribute(nil))))
        }
    }

    @Test(arguments: 0..<8) func damagedArchivesStopNothing(_ part: Int) throws {
        var random = SeededRandom(seed: Seed.draw(part))
        let values: [String: Any] = [
            "date": Date(), "id": UUID(), "url": URL(fileURLWithPath: "/a"), "data": Data([1, 2]), "null": NSNull(),
            "list": ["a", 1.5, ["k": "v"]] as [Any], "set": Set(["a", "b"]), "inner": ["a": ["b": "c"]],
        ]
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: values as NSDictionary, requiringSecureCoding: true)
        for _ in 0..<1_000 {
            var bytes = Array(archive)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            _ = TransformableValue.value(of: Data(bytes), attribute(nil))
        }
        #expect((TransformableValue.value(of: archive, attribute(nil)) as? [String: Any])?.count == values.count)
    }

    @Test func valuesOfAnUnknownTransformerAreSecureArchives() throws {
        let data = try TransformableValue.data(of: ["a", "b"], attribute("Missing"))
        #expect(TransformableValue.value(of: data, attribute("Missing")) as? [String] == ["a", "b"])
        #expect(TransformableValue.value(of: data, attribute(nil)) as? [String] == ["a", "b"])
        #expect(TransformableValue.value(of: Data(), attribute("Missing")) == nil)
    }
}
