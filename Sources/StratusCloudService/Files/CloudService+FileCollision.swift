import StratusCloudModel
import StratusCloudStore

/// The way to handle a name that another item in the folder has.
public enum FileCollision: String, Sendable, CaseIterable {
    /// It is refused.
    case refuse
    /// The item gets a number behind its name.
    case number
    /// A file gets the new content as another version; any other item that is in the way goes to Recently Deleted.
    case replace
}

extension CloudService {
    /// Returns the item with a name in a folder; nil if no item has it.
    public func file(
        called name: String, in folder: FileFolder, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem? {
        try FileName.check(name)
        let key = try FileNameKey.key(name)
        return try await readingFiles(of: owner, as: caller, otherwise: nil) { files in
            guard try files.mayList(folder) else { return nil }
            let stored = try files.transaction.get(
                Keyspace.fileName(zone: files.zone, folder: folder.recordName, key: key))
            return try stored.flatMap { try files.items([String(decoding: $0, as: UTF8.self)]).first }
        }
    }

    /// Finds out where an upload goes.
    /// - Throws: `uniqueFieldError` if the name is taken and that is to be refused, or a file would replace something
    ///   else.
    public func fileDestination(
        named name: String, in folder: FileFolder, ifTaken collision: FileCollision, of owner: FileOwner = .caller,
        as caller: Caller
    ) async throws(CloudError) -> FileDestination {
        guard let item = try await file(called: name, in: folder, of: owner, as: caller) else {
            return collision == .replace
                ? .named(name, folder: folder, present: nil) : .new(name: name, folder: folder)
        }
        switch collision {
        case .refuse: break
        case .replace: if item.kind == .file { return .named(name, folder: folder, present: item) }
        case .number:
            for number in 2...FileLimits.numbersTried {
                let numbered = FileName.numbered(name, number)
                if try await file(called: numbered, in: folder, of: owner, as: caller) == nil {
                    return .new(name: numbered, folder: folder)
                }
            }
        }
        throw CloudError(.uniqueFieldError, "the folder has an item of this name already")
    }

    /// Moves and renames an item.
    /// - Parameters:
    ///   - folder: The folder that it goes to; nil leaves it where it is.
    ///   - name: The name that it gets; nil leaves it as it is.
    /// - Throws: As ``createFolder(_:as:)``.
    public func moveFile(
        _ item: FileItem, to folder: FileFolder?, named name: String?, ifTaken collision: FileCollision,
        of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        let folder = folder ?? item.folder.map(FileFolder.item) ?? .root
        let wanted = name ?? item.name
        try FileName.check(wanted)
        var name = wanted
        var number = 1
        var replaced: FileItem?
        while true {
            do throws(CloudError) {
                return try await moveFile(
                    item, to: folder, named: name, replacing: replaced, of: owner, as: caller)
            } catch {
                guard error.code == .uniqueFieldError, number < FileLimits.numbersTried else { throw error }
                number += 1
                switch collision {
                case .refuse: throw error
                case .number: name = FileName.numbered(wanted, number)
                case .replace:
                    guard replaced == nil,
                        let there = try await file(called: wanted, in: folder, of: owner, as: caller)
                    else { throw error }
                    replaced = there
                }
            }
        }
    }

    /// Returns the folder with a name. Creates it if it does not exist.
    /// - Throws: As ``createFolder(_:as:)``; `uniqueFieldError` if the name is another item's.
    public func folder(
        named name: String, in folder: FileFolder, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        do throws(CloudError) {
            return try await createFolder(FileChanges(name: name, folder: folder), of: owner, as: caller)
        } catch {
            guard error.code == .uniqueFieldError,
                let there = try await file(called: name, in: folder, of: owner, as: caller), there.kind == .folder
            else { throw error }
            return there
        }
    }
}
