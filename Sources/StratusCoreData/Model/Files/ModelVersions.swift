import Foundation
import StratusModelFiles

/// The versions of a model in a file of any form.
struct ModelVersions {
    /// A version that can be read.
    struct Version {
        let file: URL
        /// The file that has all versions.
        let folder: URL
        /// The hashes of the entities that Xcode recorded, by the names of the entities.
        var hashes: [String: Data] = [:]

        func document() throws(ModelFileError) -> ModelDocument {
            let bytes = Array(try ModelPackage.data(file))
            // The build plugin gives the contents of a model the name that Xcode gives the archive it compiles.
            let isArchive = file.pathExtension == "mom" && bytes.first != UInt8(ascii: "<")
            return isArchive
                ? try ArchivedModel.read(bytes, file: file.path) : try ModelReader.read(bytes, file: file.path)
        }
    }

    let all: [Version]
    let current: Version

    init(at url: URL) throws(ModelFileError) {
        switch url.pathExtension {
        case "momd": (all, current) = try Self.compiled(url)
        case "mom":
            current = Version(file: url, folder: url)
            all = [current]
        default:
            let package = try ModelPackage(at: url)
            all = package.versions.map { Version(file: $0.contents, folder: url) }
            current = Version(file: package.current.contents, folder: url)
        }
    }

    private static func compiled(_ url: URL) throws(ModelFileError) -> ([Version], Version) {
        let info = try versionInfo(url.appendingPathComponent("VersionInfo.plist"))
        let hashes = info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelFileError(file: url.path, reason: "cannot be read: \(error.localizedDescription)")
        }
        let models = names.filter { $0.hasSuffix(".mom") }.map { String($0.dropLast(".mom".count)) }.sorted()
        guard models.count <= ModelFileLimits.versions else {
            throw ModelFileError(file: url.path, reason: "has more than \(ModelFileLimits.versions) versions")
        }
        func version(_ name: String) -> Version {
            Version(
                file: url.appendingPathComponent(name + ".mom"), folder: url, hashes: hashes[name] ?? [:])
        }
        // The name is one of a file in the folder, so that it leads to no other place.
        let name = info["NSManagedObjectModel_CurrentVersionName"] as? String ?? models.first ?? ""
        guard models.contains(name) else {
            throw ModelFileError(file: url.path, reason: "has no version '\(name)'")
        }
        return (models.map(version), version(name))
    }

    /// Returns the property list beside the versions, which a folder with one version may lack.
    private static func versionInfo(_ file: URL) throws(ModelFileError) -> [String: Any] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        let data = try ModelPackage.data(file)
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] else {
            throw ModelFileError(file: file.path, reason: "is not a property list")
        }
        return list
    }
}
