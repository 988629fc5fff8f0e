import Foundation
import StratusCompatibility
import StratusSeeds
import Testing

@testable import StratusCoreData

@Suite struct CompiledModelTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    /// Calls a block with a `.momd` of versions, each with hashes of its entities.
    private func withBundle(
        _ versions: [String: [UInt8]], current: String?, hashes: [String: [String: Data]] = [:],
        _ block: (URL) throws -> Void
    ) throws {
        let url = folder.appendingPathComponent("Shop.momd")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in versions { try Data(bytes).write(to: url.appendingPathComponent(name + ".mom")) }
        if let current {
            let info: [String: Any] = [
                "NSManagedObjectModel_CurrentVersionName": current, "NSManagedObjectModel_VersionHashes": hashes,
            ]
            let list = try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
            try list.write(to: url.appendingPathComponent("VersionInfo.plist"))
        }
        try block(url)
    }

    @Test func aCompiledModelHasWhatItsSourceHad() throws {
        try withBundle(["Shop": CompiledShop.bytes()], current: nil) { url in
            let model = try NSManagedObjectModel(reading: url)
            #expect(model.versionIdentifiers == ["2"] && model.configurations == ["Local"])
            let item = try #require(model.entitiesByName["Item"])
            #expect(item.superentity === model.entitiesByName["Thing"] && item.superentity?.isAbstract == true)
            #expect(item.managedObjectClassName == "Shop.Item")
            #expect(item.userInfo as? [String: String] == ["k": "v"])
            #expect(item.uniquenessConstraints as? [[String]] == [["title"]])
            let attributes = item.attributesByName
            #expect(attributes["created"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 60))
            #expect(attributes["stock"]?.defaultValue as? NSNumber == 3)
            #expect(attributes["price"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "123456.78"))
            #expect(attributes["photo"]?.allowsExternalBinaryDataStorage == true)
            #expect(attributes["title"]?.isOptional == true && attributes["stock"]?.isOptional == false)
            #expect((attributes["size"] as? NSCompositeAttributeDescription)?.elements.map(\.name) == ["width"])
            let inner = ["box", "bag"].map { name in
                let outer = attributes[name] as? NSCompositeAttributeDescription
                let inner = outer?.elements.first as? NSCompositeAttributeDescription
                return inner?.elements.map(\.name) ?? []
            }
            #expect(inner == [["height"], ["width"]])
            #expect(attributes["plain"] is NSDerivedAttributeDescription)
            #expect(attributes["style"]?.type == .transformable && attributes["style"]?.defaultValue == nil)
            #expect(item.indexes.map(\.name) == ["byTitle"] && item.indexes[0].elements.map(\.isAscending) == [false])
            let items = try #require(item.relationshipsByName["shelf"]?.inverseRelationship)
            #expect(items.isOrdered && items.isToMany && items.deleteRule == .cascadeDeleteRule)
            let request = model.fetchRequestFromTemplate(withName: "InStock", substitutionVariables: ["LEAST": 2])
            #expect(
                request?.predicate?.predicateTree
                    == NSPredicate(format: #"stock > 2 OR title CONTAINS[cd] "é\"""#).predicateTree)
            #expect(request?.fetchLimit == 5 && request?.resultType == .dictionaryResultType)
            #expect(request?.includesPendingChanges == false && request?.includesSubentities == true)
        }
    }

    @Test func theCurrentVersionIsTheRecordedOneAndKeepsXcodesHashes() throws {
        let hash = Data(repeating: 7, count: 32)
        let other = ArchiveWriter()
        let old = other.bytes(root: other.object("NSManagedObjectModel", [("NSEntities", other.dictionary([]))]))
        let hashes = ["Shop 2": ["Item": hash, "Shelf": hash, "Thing": hash]]
        try withBundle(["Shop": old, "Shop 2": CompiledShop.bytes()], current: "Shop 2", hashes: hashes) { url in
            let model = try #require(NSManagedObjectModel(contentsOf: url))
            #expect(model.entities.count == 3)
            let ofMac: [String: Any] = [NSStoreModelVersionHashesKey: hashes["Shop 2"] ?? [:]]
            let ofLinux: [String: Any] = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
            for metadata in [ofMac, ofLinux] {
                #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            }
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(copy.isConfiguration(withName: nil, compatibleWithStoreMetadata: ofMac))
            copy.entitiesByName["Item"]?.attributesByName["stock"]?.isOptional = true
            #expect(!copy.isConfiguration(withName: nil, compatibleWithStoreMetadata: ofMac))
            let empty = NSManagedObjectModel()
            let merged = NSManagedObjectModel(byMerging: [empty, model], forStoreMetadata: ofMac)
            #expect(merged?.entities.count == 3)
            #expect(NSManagedObjectModel(byMerging: [empty], forStoreMetadata: ofMac) == nil)
            #expect(NSManagedObjectModel(byMerging: [model], forStoreMetadata: [:]) == nil)
        }
    }

    @Test func modelsOfBundlesAreMerged() throws {
        try withBundle(["Shop": CompiledShop.bytes()], current: "Shop") { url in
            let bundle = try #require(Bundle(url: url.deletingLastPathComponent()))
            let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
            #expect(Set(model.entitiesByName.keys) == ["Item", "Shelf", "Thing"])
            let metadata: [String: Any] = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
            #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)?.entities.count == 3)
            #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: [:]) == nil)
            #expect(NSManagedObjectModel.mergedModel(from: []) == nil)
        }
    }

    @Test func wrongBundlesAreRefused() throws {
        try withBundle(["Shop": CompiledShop.bytes()], current: "../Shop") { url in
            #expect { try NSManagedObjectModel(reading: url) } throws: { "\($0)".hasSuffix("has no version '../Shop'") }
        }
        try withBundle([:], current: nil) { url in
            #expect(throws: (any Error).self) { try NSManagedObjectModel(reading: url) }
        }
        let other = ArchiveWriter()
        let wrong = other.bytes(root: other.object("NSDate", [("NS.time", .real(1))]))
        try withBundle(["Shop": wrong], current: nil) { url in
            #expect { try NSManagedObjectModel(reading: url) } throws: {
                "\($0)".contains("is an archive of a 'NSDate'")
            }
        }
    }

    /// A small archive may refer to its parts so often that their tree would have no bound.
    @Test func aPredicateThatContainsItselfManyTimesIsRefused() throws {
        let writer = ArchiveWriter()
        let entity = writer.object("NSEntityDescription", [("NSEntityName", writer.text("A"))])
        var predicate = writer.comparison(writer.keyPath("a"), 4, writer.constant(.number(1)))
        for _ in 0..<40 { predicate = writer.compound(2, [predicate, predicate]) }
        let request = writer.object("NSFetchRequest", [("NSEntity", entity), ("NSPredicate", predicate)])
        let model = writer.object(
            "NSManagedObjectModel",
            [
                ("NSEntities", writer.dictionary([("A", entity)])),
                ("NSFetchRequestTemplates", writer.dictionary([("F", request)])),
            ])
        try withBundle(["Shop": writer.bytes(root: model)], current: nil) { url in
            #expect {
                try NSManagedObjectModel(reading: url)
            } throws: { "\($0)".hasSuffix("fetchRequest 'F' is too large") }
        }
    }

    /// Mutated archives never stop the reader.
    @Test func mutatedArchivesAreReadOrRefused() {
        var random = SeededRandom(seed: Seed.draw())
        let whole = CompiledShop.bytes()
        var refused = 0
        for _ in 0..<1_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...8, using: &random)))
                }
            }
            do {
                let document = try ArchivedModel.read(bytes, file: "M")
                var builder = ModelBuilder(document, file: "M")
                try builder.build(into: NSManagedObjectModel())
            } catch {
                refused += 1
            }
        }
        #expect(refused > 100, "\(random)")
    }
}
