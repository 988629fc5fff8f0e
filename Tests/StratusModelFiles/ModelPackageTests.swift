import Foundation
import StratusModelFiles
import Testing

@Suite struct ModelPackageTests {
    /// Calls a block with a package `Shop.xcdatamodeld` of versions, each with an entity of the name of the version.
    private func withPackage(
        _ versions: [String], current: String?, _ block: (URL) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let package = folder.appendingPathComponent("Shop.xcdatamodeld")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        for version in versions {
            let model = package.appendingPathComponent(version + ".xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            try Data("<model><entity name=\"\(version)\"/></model>".utf8).write(
                to: model.appendingPathComponent("contents"))
        }
        if let current {
            let list = try PropertyListSerialization.data(
                fromPropertyList: ["_XCCurrentVersionName": current], format: .xml, options: 0)
            try list.write(to: package.appendingPathComponent(".xccurrentversion"))
        }
        try block(package)
    }

    @Test func theCurrentVersionIsTheMarkedOne() throws {
        try withPackage(["Shop", "Shop 2", "Shop 10"], current: "Shop 2.xcdatamodel") { url in
            let package = try ModelPackage(at: url)
            #expect(package.versions.map(\.name) == ["Shop", "Shop 10", "Shop 2"])
            #expect(package.current.name == "Shop 2")
            #expect(try package.read(package.current).entities.map(\.name) == ["Shop 2"])
            #expect(try package.versions.map { try package.read($0).entities[0].name } == package.versions.map(\.name))
        }
    }

    @Test func onePlainVersionNeedsNoMark() throws {
        try withPackage(["Shop"], current: nil) { url in
            let package = try ModelPackage(at: url)
            #expect(package.current.name == "Shop")
            let model = try ModelPackage(at: url.appendingPathComponent("Shop.xcdatamodel"))
            #expect(model.versions == package.versions)
        }
    }

    @Test func wrongPackagesAreRefused() throws {
        try withPackage(["Shop"], current: "Shop 2.xcdatamodel") { url in
            #expect(throws: ModelFileError.self) { try ModelPackage(at: url) }
            #expect(throws: ModelFileError.self) { try ModelPackage(at: url.deletingLastPathComponent()) }
        }
        try withPackage([], current: nil) { url in
            #expect(throws: ModelFileError(file: url.path, reason: "has no version")) { try ModelPackage(at: url) }
        }
        try withPackage(["Shop"], current: nil) { url in
            try Data("no list".utf8).write(to: url.appendingPathComponent(".xccurrentversion"))
            #expect(throws: ModelFileError.self) { try ModelPackage(at: url) }
        }
        let missing = URL(fileURLWithPath: "/nowhere/Shop.xcdatamodeld")
        #expect(throws: ModelFileError.self) { try ModelPackage(at: missing) }
    }

    @Test func versionsAreBounded() throws {
        let names = (0...ModelFileLimits.versions).map { "V\($0)" }
        try withPackage(Array(names.dropLast()), current: nil) { url in
            let package = try ModelPackage(at: url)
            #expect(package.versions.count == ModelFileLimits.versions)
        }
        try withPackage(names, current: nil) { url in
            #expect(throws: ModelFileError.self) { try ModelPackage(at: url) }
        }
    }
}
