import Foundation
import StratusCoreLocation
import Testing

@testable import StratusCoreData

/// The classes of transformable values in archives.
@Suite struct ArchivedClassTests {
    private func attribute(of name: String?, transformer: String? = nil) -> NSAttributeDescription {
        let attribute = NSAttributeDescription.make("place", .transformable)
        attribute.attributeValueClassName = name
        attribute.valueTransformerName = transformer
        return attribute
    }

    @Test func aLocationIsReadByItsNameAndApples() throws {
        let attribute = attribute(of: "CLLocation")
        let location = CLLocation(latitude: 48.5, longitude: 9.25)
        let data = try TransformableValue.data(of: location, attribute)
        let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        let hints = (list?["$objects"] as? [Any])?.compactMap { ($0 as? [String: Any])?["$classhints"] as? [String] }
        #expect(hints == [["CLLocation"]])
        let writer = ArchiveWriter()
        let ofMac = writer.object(
            "CLLocation",
            [
                ("kCLLocationCodingKeyCoordinateLatitude", .real(48.5)),
                ("kCLLocationCodingKeyCoordinateLongitude", .real(9.25)),
            ])
        for archive in [data, Data(writer.bytes(root: ofMac))] {
            let read = try #require(TransformableValue.value(of: archive, attribute) as? CLLocation)
            #expect(read.coordinate.latitude == 48.5 && read.coordinate.longitude == 9.25)
        }
        let two = try TransformableValue.data(of: [location, location], attribute)
        #expect((TransformableValue.value(of: two, attribute) as? [CLLocation])?.count == 2)
        #expect(TransformableValue.value(of: data, self.attribute(of: "CLFloor")) == nil)
    }

    @Test func aRegisteredNameLeadsToItsClass() throws {
        NSKeyedUnarchiver.setClass(Spot.self, forClassName: "RegisteredSpot")
        defer { NSKeyedUnarchiver.setClass(nil, forClassName: "RegisteredSpot") }
        let attribute = attribute(of: "RegisteredSpot")
        let data = try TransformableValue.data(of: Spot(3), attribute)
        #expect((TransformableValue.value(of: data, attribute) as? Spot)?.number == 3)
    }

    @Test(arguments: [nil, "NSArray", "Missing"]) func aValueThatCouldNotBeReadAgainIsAnError(_ name: String?) {
        for value: Any in [Spot(3), [Spot(3)], CLLocation(latitude: 1, longitude: 2)] {
            let error = #expect(throws: CocoaError.self) {
                try TransformableValue.data(of: value, attribute(of: name))
            }
            #expect(error?.code == .persistentStoreSave)
        }
        #expect {
            try TransformableValue.data(of: Spot(3), attribute(of: nil))
        } throws: { $0.localizedDescription.contains("'place' cannot hold a Spot") }
    }

    @Test func aTransformerOfArchivesRefusesWhatItDoesNotRead() {
        #expect {
            let attribute = attribute(of: nil, transformer: "StratusCoreDataTests.TextsTransformer")
            return try TransformableValue.data(of: ["k": "v"], attribute)
        } throws: { $0.localizedDescription.contains("does not allow the value of attribute 'place'") }
    }

    @Test func anObjectIsMadeOnceOfItsArchive() throws {
        let family = try Family { model in
            let words = NSAttributeDescription.make("words", .transformable)
            words.isOptional = true
            model.entitiesByName["Parent"]?.properties.append(words)
        }.withStore()
        try family.run { (family: Family) throws in
            let parent = family.insert("Parent", named: "P")
            let words = NSMutableArray(array: ["a"])
            parent.setValue(words, forKey: "words")
            try family.context.save()
            #expect(parent.value(forKey: "words") as? NSMutableArray === words)
            family.context.refresh(parent, mergeChanges: false)
            let read = try #require(parent.value(forKey: "words") as? NSArray)
            #expect(read == ["a"] && parent.value(forKey: "words") as? NSArray === read)
            #expect(!family.context.hasChanges)
        }
    }
}
