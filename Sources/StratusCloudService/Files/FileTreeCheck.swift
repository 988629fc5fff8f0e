import StratusCloudModel
import StratusCloudStore

/// Checks what the changes of a batch make of the tree of folders: each folder exists and is not deleted, no folder is
/// in itself, names in a folder are unique, and only what is in Recently Deleted is deleted for good.
///
/// The changes count in the order in which they are possible: a folder before what is put into it, what gives up a name
/// before what takes it.
struct FileTreeCheck {
    private let batch: ReservedZoneBatch
    private(set) var refusals: [Int: CloudError] = [:]
    /// The records after the changes that were accepted, and others that were read.
    private var records: [String: StoredRecord?] = [:]
    /// Who has a name after those changes.
    private var names: [FileIndex.Place: String?] = [:]
    /// By how much those changes fill folders. The root folder has the empty name.
    private var added: [String: Int] = [:]

    init(_ batch: ReservedZoneBatch) { self.batch = batch }

    mutating func run() throws {
        let (releasing, others) = (batch.changes.filter(\.releasesName), batch.changes.filter { !$0.releasesName })
        for change in releasing { try decide(change) }
        try decideFoldersFirst(others)
        // A name may have been given up by a change behind the one that wants it.
        let again = others.filter { refusals[$0.index]?.code == .uniqueFieldError }
        for change in again {
            refusals[change.index] = nil
            try decide(change)
        }
    }

    private mutating func decideFoldersFirst(_ changes: [ReservedZoneBatch.Change]) throws {
        let byName = Dictionary(changes.map { ($0.recordName, $0) }) { first, _ in first }
        var visited: Set<String> = []
        for change in changes {
            var path: [ReservedZoneBatch.Change] = []
            var next: ReservedZoneBatch.Change? = change
            while let current = next, visited.insert(current.recordName).inserted {
                path.append(current)
                next = current.after?.folder.flatMap { byName[$0] }
            }
            for change in path.reversed() { try decide(change) }
        }
    }

    private mutating func decide(_ change: ReservedZoneBatch.Change) throws {
        do {
            try check(change)
        } catch let error as CloudError where error.code != .internalError {
            refusals[change.index] = CloudError(error.code, "record '\(change.recordName)': \(error.reason)")
            return
        }
        records[change.recordName] = .some(change.after)
        let (before, after) = (try change.before.flatMap(FileIndex.place), try change.after.flatMap(FileIndex.place))
        guard before != after else { return }
        if let before, try owner(of: before) == change.recordName { names[before] = .some(nil) }
        if let after { names[after] = change.recordName }
        if let before { added[before.folder ?? "", default: 0] -= 1 }
        if let after { added[after.folder ?? "", default: 0] += 1 }
    }

    private mutating func check(_ change: ReservedZoneBatch.Change) throws {
        guard let after = change.after else {
            guard change.before?.isDeletedFile ?? true else {
                throw CloudError(
                    .badRequest,
                    "an item is deleted by saving it with field '\(FileFormat.deleted)'; only what is in Recently "
                        + "Deleted can be deleted for good")
            }
            return
        }
        guard after.parent == nil else {
            throw CloudError(.badRequest, "an item has the field '\(FileFormat.folder)', and cannot have a parent")
        }
        guard let place = try FileIndex.place(of: after) else { return }
        let before = try change.before.flatMap(FileIndex.place)
        guard place != before else { return }
        if before == nil || place.folder != before?.folder {
            // Imports bring what is in a folder before the folder.
            if !change.isImported { try checkFolders(around: after) }
            try checkRoom(in: place.folder)
        }
        let owner = try owner(of: place)
        guard owner == nil || owner == change.recordName else {
            throw CloudError(.uniqueFieldError, "its folder has another item of this name")
        }
    }

    private mutating func checkFolders(around record: StoredRecord) throws {
        var next = record.folder
        var depth = 0
        while let name = next {
            guard name != record.recordName else {
                throw CloudError(.validatingReferenceError, "a folder cannot be in itself")
            }
            guard let folder = try self.record(name) else {
                throw CloudError(.validatingReferenceError, "a folder around it does not exist")
            }
            guard folder.isFolder else { throw CloudError(.badRequest, "the item that it would be in is not a folder") }
            guard !folder.isDeletedFile else {
                throw CloudError(.validatingReferenceError, "a folder around it is in Recently Deleted")
            }
            depth += 1
            guard depth <= FileLimits.folderDepth else {
                throw CloudError(
                    .badRequest, "it would be in more than \(FileLimits.folderDepth) folders, which is the maximum")
            }
            next = folder.folder
        }
    }

    private mutating func checkRoom(in folder: String?) throws {
        guard let folder else { return }
        let count: ReferrerCount? = try batch.transaction.value(
            at: Keyspace.referrerCount(zone: batch.number, target: folder))
        guard Int(clamping: count?.deleteSelf ?? 0) + added[folder, default: 0] < FileLimits.itemsPerFolder else {
            throw CloudError(
                .badRequest, "its folder has \(FileLimits.itemsPerFolder) items, which is the maximum")
        }
    }

    private mutating func record(_ name: String) throws -> StoredRecord? {
        if let known = records[name] { return known }
        let record = try batch.transaction.record(named: name, in: batch.number)
        records[name] = .some(record)
        return record
    }

    private func owner(of place: FileIndex.Place) throws -> String? {
        if let known = names[place] { return known }
        let bytes = try batch.transaction.get(place.storeKey(in: batch.number))
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension ReservedZoneBatch.Change {
    /// Whether it gives up a name and takes none.
    fileprivate var releasesName: Bool { after?.isDeletedFile ?? true }
}
