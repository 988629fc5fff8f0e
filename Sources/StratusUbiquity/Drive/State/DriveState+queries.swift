import StratusSQLite

/// Searches of what an agent knows.
extension DriveState {
    typealias LocalItem = (id: String, local: DriveEntry.Local)

    // MARK: - The local tree

    /// The local item at a place.
    func local(at place: DrivePlace) throws -> DriveEntry? {
        try entries(
            "SELECT entry FROM entries WHERE localFolder = ? AND localName = ? LIMIT 1", place.folder, place.name
        ).first
    }

    /// Whether this device has an item.
    func hasLocal(_ id: String) throws -> Bool { try self[id]?.local != nil }

    /// The local items in a folder.
    func localItems(in folder: String) throws -> [LocalItem] {
        try locals("localFolder = ?", folder)
    }

    /// The local items with an identity: more than one if a file has several names.
    func localItems(inode: UInt64) throws -> [LocalItem] {
        try locals("inode = ?", Int64(bitPattern: inode))
    }

    /// The local item with a name.
    func localItem(_ id: String) throws -> LocalItem? {
        try locals("id = ? AND localFolder IS NOT NULL", id).first
    }

    /// The local item at a place, without the rest of its entry.
    func localItem(at place: DrivePlace) throws -> LocalItem? { try localItems(at: place).first }

    /// The local items at a place: more than one while the one that was there is not known to be gone.
    func localItems(at place: DrivePlace) throws -> [LocalItem] {
        try locals("localFolder = ? AND localName = ?", place.folder, place.name)
    }

    /// The entries of local items in a folder.
    func localEntries(in folder: String) throws -> [DriveEntry] {
        try entries("SELECT entry FROM entries WHERE localFolder = ? ORDER BY id", folder)
    }

    /// The folders that local items are in.
    func localFolders() throws -> [String] {
        try texts("SELECT DISTINCT localFolder FROM entries WHERE localFolder IS NOT NULL")
    }

    private func locals(_ condition: String, _ values: any SQLiteBindable...) throws -> [LocalItem] {
        var found: [LocalItem] = []
        try statement("SELECT \(DriveRow.localColumns) FROM entries WHERE \(condition)").forEach(values) { row in
            if let item = DriveRow.local(row) { found.append(item) }
            return true
        }
        return found
    }

    /// Whether something in a folder was changed here. Changes in the folders inside it do not count.
    func hasLocalChange(in folder: String) throws -> Bool {
        try statement("SELECT 1 FROM entries WHERE localFolder = ? AND hasLocalChange = 1 LIMIT 1")
            .first(folder) { _ in true } ?? false
    }

    /// The folders in a folder here.
    func localFolders(in folder: String) throws -> [String] {
        try texts("SELECT id FROM entries WHERE localFolder = ? AND localKind = 'folder'", folder)
    }

    // MARK: - The server's tree

    /// The place of a folder of the server's tree; nil if the tree has no such folder.
    func remotePlace(ofFolder id: String) throws -> DrivePlace? {
        try statement("SELECT remoteFolder, remoteName FROM entries WHERE id = ? AND isRemoteFolder = 1").first(id) {
            DrivePlace(folder: $0.text(0) ?? "", name: $0.text(1) ?? "")
        }
    }

    /// The folders of items that only the server has.
    func foldersOfRemoteItems() throws -> [String] { try folders("isOnlyRemote = 1") }

    /// The items in a folder that only the server has, with their names.
    func remoteItems(in folder: String) throws -> [(id: String, name: String)] {
        try statement("SELECT id, remoteName FROM entries WHERE isOnlyRemote = 1 AND remoteFolder = ?")
            .all(folder) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    }

    /// The folders that the server has items in of which this device has something, or had.
    func foldersOfPresentItems() throws -> [String] { try folders("isDeleted = 0 AND isOnlyRemote = 0") }

    /// The items of the server in a folder of which this device has something, or had.
    func presentItems(in folder: String) throws -> [String] {
        try texts("SELECT id FROM entries WHERE isDeleted = 0 AND isOnlyRemote = 0 AND remoteFolder = ?", folder)
    }

    /// Whether this device has something of an item, or had.
    func isPresent(_ id: String) throws -> Bool { try self[id].map { $0.local != nil || $0.synced != nil } ?? false }

    /// The folders on the server of items, each found by itself: going through all items would take longer.
    private func folders(_ condition: String) throws -> [String] {
        let next = try statement(
            "SELECT remoteFolder FROM entries WHERE \(condition) AND remoteFolder >= ? ORDER BY remoteFolder LIMIT 1")
        let following = try statement(
            "SELECT remoteFolder FROM entries WHERE \(condition) AND remoteFolder > ? ORDER BY remoteFolder LIMIT 1")
        var found: [String] = []
        var folder = try next.first("") { $0.text(0) } ?? nil
        while let known = folder {
            found.append(known)
            folder = try following.first(known) { $0.text(0) } ?? nil
        }
        return found
    }

    /// Whether something in a folder was changed on the server. Changes in the folders inside it do not count.
    func hasRemoteChange(in folder: String) throws -> Bool {
        try statement(
            "SELECT 1 FROM entries WHERE remoteFolder = ? AND isDeleted = 0 AND hasRemoteChange = 1 LIMIT 1"
        ).first(folder) { _ in true } ?? false
    }

    /// The folders in a folder on the server that are not deleted.
    func remoteFolders(in folder: String) throws -> [String] {
        try texts("SELECT id FROM entries WHERE remoteFolder = ? AND isDeleted = 0 AND isRemoteFolder = 1", folder)
    }

    /// The items in Recently Deleted.
    func deletedEntries() throws -> [DriveEntry] {
        try entries("SELECT entry FROM entries WHERE isDeleted = 1 ORDER BY id")
    }

    // MARK: - Both

    /// The items with which something may have to be done, whatever the folders around them are.
    func pendingItems() throws -> [String] { try texts("SELECT id FROM entries WHERE isPending = 1") }

    /// The entries whose contents may be on their way in a file with a name.
    func entries(awaitedIn partialName: String) throws -> [DriveEntry] {
        try entries("SELECT entry FROM entries WHERE partialName = ?", partialName)
    }

    /// The items with contents in conflict, or with copies of such contents.
    func itemsWithCopies() throws -> [String] { try texts("SELECT id FROM entries WHERE hasCopies = 1 ORDER BY id") }

    /// The entries of ``itemsWithCopies()``.
    func entriesWithCopies() throws -> [DriveEntry] {
        try entries("SELECT entry FROM entries WHERE hasCopies = 1 ORDER BY id")
    }

    /// The folder around an item: on the server, or else here; nil if neither has it.
    func folder(around id: String) throws -> String? {
        try statement("SELECT coalesce(remoteFolder, localFolder) FROM entries WHERE id = ?")
            .first(id) { $0.text(0) } ?? nil
    }

    /// The number of local items, and their bytes.
    func localSize() throws -> (items: Int, bytes: Int64) {
        try statement("SELECT count(*), sum(size) FROM entries WHERE localFolder IS NOT NULL").first { row in
            (Int(row.integer(0) ?? 0), row.integer(1) ?? 0)
        } ?? (0, 0)
    }

    /// The number of items that only the server has, and their bytes, by their folders.
    func remoteSizes() throws -> [(folder: String, items: Int, bytes: Int64)] {
        try statement(
            """
            SELECT remoteFolder, count(*), sum(size) FROM entries
            WHERE remoteFolder IS NOT NULL AND isDeleted = 0 AND localFolder IS NULL GROUP BY remoteFolder
            """
        ).all { row in (row.text(0) ?? "", Int(row.integer(1) ?? 0), row.integer(2) ?? 0) }
    }

    private func texts(_ sql: String, _ values: any SQLiteBindable...) throws -> [String] {
        var found: [String] = []
        try statement(sql).forEach(values) { row in
            if let text = row.text(0) { found.append(text) }
            return true
        }
        return found
    }
}
