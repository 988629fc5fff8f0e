import Foundation

/// The versions of a model: an `.xcdatamodeld`, or an `.xcdatamodel`, which has one.
package struct ModelPackage: Hashable, Sendable {
    /// A version of a model.
    package struct Version: Hashable, Sendable {
        /// The name, such as `Shop 2`.
        package let name: String
        /// The file of the model.
        package let contents: URL
    }

    /// All versions, in the order of their names.
    package let versions: [Version]
    /// The version that programs use.
    package let current: Version

    /// Finds the versions of a package without reading them.
    /// - Throws: ``ModelFileError``.
    package init(at url: URL) throws(ModelFileError) {
        switch url.pathExtension {
        case "xcdatamodel":
            current = Version(name: Self.name(url), contents: url.appendingPathComponent("contents"))
            versions = [current]
        case "xcdatamodeld":
            let found = try Self.versions(in: url)
            let name = try Self.currentName(of: url)
            guard let version = found.first(where: { name == nil || $0.name == name }) else {
                throw ModelFileError(
                    file: url.path, reason: "has no version '\(name ?? "")', which .xccurrentversion names")
            }
            (versions, current) = (found, version)
        default: throw ModelFileError(file: url.path, reason: "is neither an .xcdatamodeld nor an .xcdatamodel")
        }
    }

    /// Reads a version.
    package func read(_ version: Version) throws(ModelFileError) -> ModelDocument {
        try ModelReader.read(Array(try Self.data(version.contents)), file: version.contents.path)
    }

    private static func versions(in url: URL) throws(ModelFileError) -> [Version] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelFileError(file: url.path, reason: "cannot be read: \(error.localizedDescription)")
        }
        let models = names.filter { $0.hasSuffix(".xcdatamodel") }
        guard !models.isEmpty else { throw ModelFileError(file: url.path, reason: "has no version") }
        guard models.count <= ModelFileLimits.versions else {
            throw ModelFileError(file: url.path, reason: "has more than \(ModelFileLimits.versions) versions")
        }
        let found = models.map { file in
            let model = url.appendingPathComponent(file)
            return Version(name: name(model), contents: model.appendingPathComponent("contents"))
        }
        return found.sorted { $0.name < $1.name }
    }

    private static func name(_ url: URL) -> String { url.deletingPathExtension().lastPathComponent }

    /// Returns the name in `.xccurrentversion`, a property list that a package with one version may lack.
    private static func currentName(of url: URL) throws(ModelFileError) -> String? {
        let file = url.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let list: Any
        do {
            list = try PropertyListSerialization.propertyList(from: try data(file), format: nil)
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(file: file.path, reason: "is not a property list")
        }
        guard let name = (list as? [String: Any])?["_XCCurrentVersionName"] as? String else { return nil }
        return name.hasSuffix(".xcdatamodel") ? String(name.dropLast(".xcdatamodel".count)) : name
    }

    /// Returns the bytes of a file, at most as many as the limit allows.
    package static func data(_ file: URL) throws(ModelFileError) -> Data {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let data = try handle.read(upToCount: ModelFileLimits.fileSize + 1) ?? Data()
            guard data.count <= ModelFileLimits.fileSize else {
                throw ModelFileError(file: file.path, reason: "is larger than \(ModelFileLimits.fileSize) bytes")
            }
            return data
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(file: file.path, reason: "cannot be read: \(error.localizedDescription)")
        }
    }
}
