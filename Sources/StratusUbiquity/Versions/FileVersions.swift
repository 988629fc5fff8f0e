import Foundation

/// The versions of files other than the current one, in directories of their own.
///
/// Those of an item in a container are in the container's `.stratus/versions`, in a tree like that of the items; those
/// of other files in the user's data directory. What synchronizes a container adds the versions that are in conflict.
struct FileVersions: Sendable {
    static let store = FileVersions()

    /// The folder of an item's versions within the tree.
    private static let folder = ".stratus-versions"

    /// What is kept about a version beside its contents.
    struct Description: Codable, Hashable, Sendable {
        var isConflict: Bool
        var isResolved: Bool
        var isDiscardable = false
        var modified: Date
        /// The name of the computer that wrote it.
        var savedOn: String?
    }

    /// A version in the store.
    struct Entry: Hashable, Sendable {
        /// The canonical path of the item.
        let item: String
        let identifier: String
        var description: Description
    }

    /// Adds a version, and tells presenters of the item.
    @discardableResult
    func add(
        contentsOf source: URL, to item: URL, isConflict: Bool, savedOn: String?, byMoving: Bool = false
    ) throws -> Entry {
        let path = CoordinatedPath.canonical(item)
        let attributes = try FileManager.default.attributesOfItem(atPath: source.path)
        let description = Description(
            isConflict: isConflict, isResolved: !isConflict, modified: attributes[.modificationDate] as? Date ?? Date(),
            savedOn: savedOn ?? ProcessInfo.processInfo.hostName)
        let entry = Entry(item: path, identifier: UUID().uuidString, description: description)
        let directory = try directory(of: path).appendingPathComponent(entry.identifier)
        // Hidden until it is complete: versions are found by their names.
        let temporary = directory.deletingLastPathComponent().appendingPathComponent(".\(entry.identifier)")
        try FileManager.default.createDirectory(
            at: temporary, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let contents = temporary.appendingPathComponent((path as NSString).lastPathComponent)
        do {
            if byMoving {
                try FileManager.default.moveItem(at: source, to: contents)
            } else {
                try FileManager.default.copyItem(at: source, to: contents)
            }
            try JSONEncoder().encode(description).write(to: temporary.appendingPathComponent(".description.json"))
            try FileManager.default.moveItem(at: temporary, to: directory)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        tell(.gainedVersion(path, entry.identifier), path)
        return entry
    }

    /// The versions of an item, the oldest first.
    func entries(of item: String) -> [Entry] {
        guard let directory = try? directory(of: item),
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        else { return [] }
        return names.compactMap { entry(of: item, $0) }
            .sorted { ($0.description.modified, $0.identifier) < ($1.description.modified, $1.identifier) }
    }

    /// A version of an item; nil if there is none with the identifier.
    func entry(of item: String, _ identifier: String) -> Entry? {
        guard UUID(uuidString: identifier) != nil, let directory = try? directory(of: item),
            let data = FileManager.default.contents(
                atPath: directory.path + "/\(identifier)/.description.json"),
            let description = try? JSONDecoder().decode(Description.self, from: data)
        else { return nil }
        return Entry(item: item, identifier: identifier, description: description)
    }

    /// Where the contents of a version are.
    func contents(of entry: Entry) throws -> URL {
        try directory(of: entry.item).appendingPathComponent(entry.identifier)
            .appendingPathComponent((entry.item as NSString).lastPathComponent)
    }

    func remove(_ entry: Entry) throws {
        try FileManager.default.removeItem(at: directory(of: entry.item).appendingPathComponent(entry.identifier))
        tell(.lostVersion(entry.item, entry.identifier), entry.item)
    }

    /// Changes what is kept about a version. One that was removed meanwhile stays so.
    func update(_ entry: Entry) throws {
        let file = try directory(of: entry.item).appendingPathComponent("\(entry.identifier)/.description.json")
        if FileManager.default.fileExists(atPath: file.path) {
            try JSONEncoder().encode(entry.description).write(to: file, options: .atomic)
        }
        if entry.description.isResolved { tell(.resolvedConflict(entry.item, entry.identifier), entry.item) }
    }

    /// Lets the versions of an item, and of everything in it, follow it to another place.
    func move(from old: String, to new: String) throws {
        let (from, to) = (try tree(of: old), try tree(of: new))
        guard FileManager.default.fileExists(atPath: from.path) else { return }
        try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
        if FileManager.default.fileExists(atPath: to.path) { try FileManager.default.removeItem(at: to) }
        try FileManager.default.moveItem(at: from, to: to)
        let (before, after) = ((old as NSString).lastPathComponent, (new as NSString).lastPathComponent)
        guard before != after else { return }
        let directory = try directory(of: new)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] {
            let version = directory.appendingPathComponent(name)
            try FileManager.default.moveItem(
                at: version.appendingPathComponent(before), to: version.appendingPathComponent(after))
        }
    }

    /// A new directory in which a version can be written that is moved into the store afterwards.
    func temporaryDirectory(for item: URL) throws -> URL {
        let url = try directory(of: CoordinatedPath.canonical(item)).appendingPathComponent(".new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return url
    }

    private func directory(of item: String) throws -> URL { try tree(of: item).appendingPathComponent(Self.folder) }

    /// Where the versions of an item and of everything in it are.
    private func tree(of item: String) throws -> URL {
        if let container = UbiquityContainer.containing(item), container.has(item) {
            return container.url.appendingPathComponent(UbiquityContainer.ownFolder + "/versions")
                .appendingPathComponent(String(item.dropFirst(container.path.count + 1)))
        }
        guard let data = UbiquityContainer.dataDirectory() else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "the user has no data directory"])
        }
        return data.appendingPathComponent("versions").appendingPathComponent(String(item.dropFirst()))
    }

    private func tell(_ event: PresenterEvent, _ item: String) {
        NSFileCoordinator.report { try CoordinationPeer.current().tell(event, about: item) }
    }
}
