import Foundation

/// The versions of files other than the current one, in directories of their own.
///
/// Those of an item in a container are in the container's `.stratus/versions`, in a tree like that of the items; those
/// of other files in the user's data directory. The agent of a container adds the contents that are in conflict on the
/// server (``ServerVersion``).
struct FileVersions: Sendable {
    static let store = FileVersions()

    /// The canonical path of the container whose items these are; nil for the versions of all files.
    var container: String?

    /// The folder of an item's versions within the tree.
    static let folder = ".stratus-versions"
    /// The file in the directory of a version with its ``Description``, and the folder there with the contents.
    static let descriptionName = ".description.json"
    static let contentsFolder = ".contents"

    /// What is kept about a version beside its contents.
    struct Description: Codable, Hashable, Sendable {
        var isConflict: Bool
        var isResolved: Bool
        var isDiscardable = false
        var modified: Date
        /// The name of the computer that wrote it.
        var savedOn: String?
        /// The version on the server that this is a copy of; nil for one that a program of this machine added.
        var server: ServerVersion?
        /// Whether a program removed the copy of a version on the server, which does not know of that yet.
        var isRemoved: Bool?
    }

    /// A version that the server has of a file.
    struct ServerVersion: Codable, Hashable, Sendable {
        /// The name of the file's record.
        var record: String
        var number: Int64
    }

    /// A version in the store.
    struct Entry: Hashable, Sendable {
        /// The canonical path of the item.
        let item: String
        let identifier: String
        var description: Description
    }

    /// Adds a version that a program of this machine wrote, and notifies presenters of the item.
    @discardableResult
    func add(
        contentsOf source: URL, to item: URL, isConflict: Bool, savedOn: String?, byMoving: Bool = false
    ) throws -> Entry {
        let attributes = try FileManager.default.attributesOfItem(atPath: source.path)
        let description = Description(
            isConflict: isConflict, isResolved: !isConflict, modified: attributes[.modificationDate] as? Date ?? Date(),
            savedOn: savedOn ?? ProcessInfo.processInfo.hostName)
        return try add(description, contentsOf: source, to: CoordinatedPath.canonical(item), byMoving: byMoving)
    }

    /// Adds a version to the item at a canonical path, and notifies presenters of the item.
    @discardableResult
    func add(_ description: Description, contentsOf source: URL, to path: String, byMoving: Bool) throws -> Entry {
        let entry = Entry(item: path, identifier: UUID().uuidString, description: description)
        let directory = try directory(of: path).appendingPathComponent(entry.identifier)
        // Hidden until it is complete: versions are found by their names.
        let temporary = directory.deletingLastPathComponent().appendingPathComponent(".\(entry.identifier)")
        let folder = temporary.appendingPathComponent(Self.contentsFolder)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let contents = folder.appendingPathComponent((path as NSString).lastPathComponent)
        var isMoved = false
        do {
            try JSONEncoder().encode(description).write(to: temporary.appendingPathComponent(Self.descriptionName))
            if byMoving {
                try FileManager.default.moveItem(at: source, to: contents)
                isMoved = true
            } else {
                try FileManager.default.copyItem(at: source, to: contents)
            }
            // Only then does the content that this is a copy of get replaced.
            try FileReplacement.synchronize(temporary)
            try FileManager.default.moveItem(at: temporary, to: directory)
        } catch {
            if isMoved { try FileManager.default.moveItem(at: contents, to: source) }
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        tell(.gainedVersion(path, entry.identifier), path)
        return entry
    }

    /// The versions of an item, the oldest first.
    func entries(of item: String) -> [Entry] { all(of: item).filter { $0.description.isRemoved != true } }

    /// The versions of an item, and the copies of versions on the server that a program removed.
    func all(of item: String) -> [Entry] {
        guard let directory = try? directory(of: item),
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        else { return [] }
        return names.compactMap { any(of: item, $0) }
            .sorted { ($0.description.modified, $0.identifier) < ($1.description.modified, $1.identifier) }
    }

    /// A version of an item; nil if there is none with the identifier.
    func entry(of item: String, _ identifier: String) -> Entry? {
        any(of: item, identifier).flatMap { $0.description.isRemoved == true ? nil : $0 }
    }

    func any(of item: String, _ identifier: String) -> Entry? {
        guard UUID(uuidString: identifier) != nil, let directory = try? directory(of: item),
            let data = FileManager.default.contents(
                atPath: directory.path + "/\(identifier)/\(Self.descriptionName)"),
            let description = try? JSONDecoder().decode(Description.self, from: data)
        else { return nil }
        return Entry(item: item, identifier: identifier, description: description)
    }

    /// Removes a version for a program. Of a copy of a version on the server a note remains until the agent has sent it.
    func remove(_ entry: Entry) throws {
        guard entry.description.server != nil else {
            _ = try follow(entry) { try delete($0) }
            return
        }
        let removed = try follow(entry) { found in
            (found.description.isResolved, found.description.isRemoved) = (true, true)
            return try write(found)
        }
        guard let removed else { return }
        try? FileManager.default.removeItem(at: contents(of: removed))
        tell(.lostVersion(removed.item, removed.identifier), removed.item)
    }

    /// Removes a version, of which nothing remains. One that was removed meanwhile stays so.
    /// - Returns: Whether it was there.
    @discardableResult
    func delete(_ entry: Entry) throws -> Bool {
        do { try FileManager.default.removeItem(at: place(of: entry)) } catch CocoaError.fileNoSuchFile { return false }
        if entry.description.isRemoved != true { tell(.lostVersion(entry.item, entry.identifier), entry.item) }
        return true
    }

    /// Changes what is kept about a version. One that was removed meanwhile stays so.
    func update(_ entry: Entry) throws {
        let updated = try follow(entry) { found in
            found.description = entry.description
            return try write(found)
        }
        guard let item = updated?.item, entry.description.isResolved else { return }
        tell(.resolvedConflict(item, entry.identifier), item)
    }

    /// - Returns: Whether the version is still there.
    @discardableResult
    private func write(_ entry: Entry) throws -> Bool {
        let file = try place(of: entry).appendingPathComponent(Self.descriptionName)
        guard FileManager.default.fileExists(atPath: file.path) else { return false }
        do {
            try JSONEncoder().encode(entry.description).write(to: file, options: .atomic)
        } catch CocoaError.fileNoSuchFile {
            return false
        }
        return true
    }

    private func tell(_ event: PresenterEvent, _ item: String) {
        NSFileCoordinator.report { try CoordinationPeer.current().tell(event, about: item) }
    }
}
