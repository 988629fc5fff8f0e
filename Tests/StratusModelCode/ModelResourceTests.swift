import Foundation
import StratusModelCode
import StratusModelFiles
import Testing

@Suite struct ModelResourceTests {
    /// Calls a block with a folder that has a model of two versions, of which the second is the current one.
    private func withModel(_ block: (URL, URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = folder.appendingPathComponent("Shop.xcdatamodeld")
        for name in ["Shop", "Shop 2"] {
            let version = model.appendingPathComponent(name + ".xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data("<model>\(name)</model>".utf8).write(to: version.appendingPathComponent("contents"))
        }
        let current = ["_XCCurrentVersionName": "Shop 2.xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: current, format: .xml, options: 0)
            .write(to: model.appendingPathComponent(".xccurrentversion"))
        try block(folder, model)
    }

    @Test func aModelHasAFileForEachVersion() throws {
        try withModel { folder, model in
            let resource = folder.appendingPathComponent("Shop.momd")
            for _ in 0..<2 { try ModelResource.write(try ModelPackage(at: model), to: resource) }
            let names = try FileManager.default.contentsOfDirectory(atPath: resource.path)
            #expect(names.sorted() == ["Shop 2.mom", "Shop.mom", "VersionInfo.plist"])
            let text = try String(contentsOf: resource.appendingPathComponent("Shop 2.mom"), encoding: .utf8)
            #expect(text == "<model>Shop 2</model>")
            let info = try Data(contentsOf: resource.appendingPathComponent("VersionInfo.plist"))
            let list = try PropertyListSerialization.propertyList(from: info, format: nil) as? [String: String]
            #expect(list == ["NSManagedObjectModel_CurrentVersionName": "Shop 2"])
        }
    }

    @Test func aVersionAloneIsAFile() throws {
        try withModel { folder, model in
            let resource = folder.appendingPathComponent("Shop.mom")
            let version = model.appendingPathComponent("Shop.xcdatamodel")
            for _ in 0..<2 { try ModelResource.write(try ModelPackage(at: version), to: resource) }
            #expect(try String(contentsOf: resource, encoding: .utf8) == "<model>Shop</model>")
        }
    }
}
