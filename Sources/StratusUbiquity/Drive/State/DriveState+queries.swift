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

    /// The folder that the server has an item in; nil if the item is no folder of the server's tree itself.
    func remoteFolder(around folder: String) throws -> String? {
        try statement("SELECT remoteFolder FROM entries WHERE id = ? AND isRemoteFolder = 1")
            .first(folder) { $0.text(0) } ?? nil
    }

    /// The folders that items of the server are in.
    func remoteFolders() throws -> [String] {
        try texts("SELECT DISTINCT remoteFolder FROM entries WHERE remoteFolder IS NOT NULL")
    }

    /// The items of the server in a folder that are not deleted.
    func remoteItems(in folder: String) throws -> [String] {
        try texts("SELECT id FROM entries WHERE remoteFolder = ? AND isDeleted = 0", folder)
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

    /// The entries of ``pendingItems()``.
    func pendingEntries() throws -> [DriveEntry] {
        try entries("SELECT entry FROM entries WHERE isPending = 1 ORDER BY id")
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
