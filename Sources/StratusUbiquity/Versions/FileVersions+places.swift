import Foundation

/// The places of versions.
extension FileVersions {
    /// The place of the contents of a version.
    func contents(of entry: Entry) throws -> URL {
        Self.contents(in: try place(of: entry), named: (entry.item as NSString).lastPathComponent)
    }

    /// The contents in the directory of a version. They have the former name of the item if the process that moved it
    /// ended before it was done.
    /// - Parameter name: The name that they should have.
    static func contents(in place: URL, named name: String) -> URL {
        let directory = contentsDirectory(in: place)
        let url = directory.appendingPathComponent(name)
        guard !FileManager.default.fileExists(atPath: url.path) else { return url }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let former = names.first { directory != place || $0 != descriptionName }
        return former.map { directory.appendingPathComponent($0) } ?? url
    }

    /// The directory with the contents of a version. Earlier releases had them beside the description.
    static func contentsDirectory(in place: URL) -> URL {
        let directory = place.appendingPathComponent(contentsFolder)
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: directory.path, isDirectory: &isDirectory)
        return exists && isDirectory.boolValue ? directory : place
    }

    /// The directory of a version.
    func place(of entry: Entry) throws -> URL {
        try directory(of: entry.item).appendingPathComponent(entry.identifier)
    }

    /// A new directory in which a version can be written that is moved into the store afterwards.
    func temporaryDirectory(for item: URL) throws -> URL {
        let url = try directory(of: CoordinatedPath.canonical(item)).appendingPathComponent(".new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return url
    }

    func directory(of item: String) throws -> URL { try tree(of: item).appendingPathComponent(Self.folder) }

    /// The place of the versions of an item and of everything in it.
    func tree(of item: String) throws -> URL {
        let store = try store(of: item)
        return store.url.appendingPathComponent(store.relative)
    }

    /// The directory with the versions of an item and of others, and the path of the item in it.
    func store(of item: String) throws -> (url: URL, relative: String) {
        let own = UbiquityContainer.ownFolder + "/versions"
        if let container, CoordinatedPath.isInside(item, container) {
            return (
                URL(fileURLWithPath: container).appendingPathComponent(own),
                UbiquityContainer.relative(item, in: container)
            )
        }
        if let container = UbiquityContainer.containing(item), container.has(item) {
            return (container.url.appendingPathComponent(own), container.relative(item))
        }
        guard let data = UbiquityContainer.dataDirectory() else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "the user has no data directory"])
        }
        return (data.appendingPathComponent("versions"), String(item.dropFirst()))
    }
}
