import Foundation

/// Versions whose item is moved.
extension FileVersions {
    /// Lets a version belong to the item at another path.
    func relocate(_ entry: Entry, to path: String) throws -> Entry {
        let moved = Entry(item: path, identifier: entry.identifier, description: entry.description)
        let place = try place(of: moved)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.moveItem(at: self.place(of: entry), to: place)
        try Self.rename(in: place, to: (path as NSString).lastPathComponent)
        return moved
    }

    /// Gives the contents in the directory of a version another name. Those of a removed one are gone.
    private static func rename(in place: URL, to name: String) throws {
        let contents = contents(in: place, named: name)
        guard !contents.lastPathComponent.utf8.elementsEqual(name.utf8) else { return }
        try FileManager.default.moveItem(
            at: contents, to: contents.deletingLastPathComponent().appendingPathComponent(name))
    }

    /// Moves a directory. What another item has left at its new place stays: versions have names of their own.
    private static func merge(_ from: URL, into to: URL) throws {
        let files = FileManager.default
        guard files.fileExists(atPath: to.path) else { return try files.moveItem(at: from, to: to) }
        for name in try files.contentsOfDirectory(atPath: from.path) {
            try merge(from.appendingPathComponent(name), into: to.appendingPathComponent(name))
        }
        try files.removeItem(at: from)
    }

    /// Lets the versions of an item, and of everything in it, follow it to another place.
    func move(from old: String, to new: String) throws {
        let (from, to) = (try tree(of: old), try tree(of: new))
        guard FileManager.default.fileExists(atPath: from.path) else { return }
        try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Self.merge(from, into: to)
        let directory = try directory(of: new)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        where UUID(uuidString: name) != nil {
            try Self.rename(in: directory.appendingPathComponent(name), to: (new as NSString).lastPathComponent)
        }
    }

    // MARK: - Versions that a program has asked for before

    /// How often a version is looked for whose item is moved each time.
    private static let attempts = 8

    /// Changes a version, wherever its item is now.
    /// - Parameter change: Returns false if the version was not there.
    /// - Returns: The version as it was changed; nil if it was removed.
    /// - Throws: `fileNoSuchFile` if the item is moved all the time.
    func follow(_ entry: Entry, _ change: (inout Entry) throws -> Bool) throws -> Entry? {
        for _ in 0..<Self.attempts {
            guard var found = try find(entry), found.description.isRemoved != true else { return nil }
            if try change(&found) { return found }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: entry.item])
    }

    /// The version as it is now; nil if it does not exist any more.
    private func find(_ entry: Entry) throws -> Entry? {
        if let known = any(of: entry.item, entry.identifier) { return known }
        let (url, relative) = try store(of: entry.item)
        guard let paths = FileManager.default.enumerator(atPath: url.path) else { return nil }
        // The path of the directory that the store is for.
        let root = String(entry.item.utf8.dropLast(relative.utf8.count)) ?? ""
        while let path = paths.nextObject() as? String {
            let folder = (path as NSString).deletingLastPathComponent as NSString
            guard folder.lastPathComponent == Self.folder else { continue }
            // No versions are inside of one.
            paths.skipDescendants()
            guard (path as NSString).lastPathComponent == entry.identifier else { continue }
            return any(of: root + folder.deletingLastPathComponent, entry.identifier)
        }
        return nil
    }
}
