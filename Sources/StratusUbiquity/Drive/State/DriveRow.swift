import StratusCloudModel
import StratusSQLite

/// The row of an entry in the database of an agent: the entry as it is, and the properties that entries are searched by.
enum DriveRow {
    /// The version of the rows, in the database's `user_version`.
    static let version: Int64 = 1

    static let schema = """
        CREATE TABLE IF NOT EXISTS entries (
            id TEXT PRIMARY KEY, localFolder TEXT, localName TEXT, localKind TEXT, localTarget TEXT,
            isExecutable INTEGER, isPlaceholder INTEGER, inode INTEGER, localSize INTEGER, modified INTEGER,
            born INTEGER, hasLocalChange INTEGER NOT NULL, remoteFolder TEXT, remoteName TEXT,
            isDeleted INTEGER NOT NULL, isRemoteFolder INTEGER NOT NULL, hasRemoteChange INTEGER NOT NULL,
            isPending INTEGER NOT NULL, isOnlyRemote INTEGER NOT NULL, partialName TEXT, hasCopies INTEGER NOT NULL,
            size INTEGER, entry BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS localPlaces ON entries (localFolder, localName) WHERE localFolder IS NOT NULL;
        CREATE INDEX IF NOT EXISTS inodes ON entries (inode) WHERE inode IS NOT NULL;
        CREATE INDEX IF NOT EXISTS remoteFolders ON entries (remoteFolder, isDeleted, localFolder, size)
            WHERE remoteFolder IS NOT NULL;
        CREATE INDEX IF NOT EXISTS pending ON entries (id) WHERE isPending = 1;
        CREATE INDEX IF NOT EXISTS onlyRemote ON entries (remoteFolder) WHERE isOnlyRemote = 1;
        CREATE INDEX IF NOT EXISTS presentByFolder ON entries (remoteFolder) WHERE isDeleted = 0 AND isOnlyRemote = 0;
        CREATE INDEX IF NOT EXISTS partialNames ON entries (partialName) WHERE partialName IS NOT NULL;
        CREATE INDEX IF NOT EXISTS deleted ON entries (id) WHERE isDeleted = 1;
        CREATE INDEX IF NOT EXISTS copies ON entries (id) WHERE hasCopies = 1;
        CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        """

    static let save = "INSERT OR REPLACE INTO entries VALUES (\(repeatElement("?", count: 23).joined(separator: ", ")))"

    /// The values of a row, in the order of its columns.
    static func values(of entry: DriveEntry, _ bytes: [UInt8]) -> [any SQLiteBindable] {
        let (local, remote) = (entry.local, entry.remote)
        return [
            entry.id, local?.shape.place.folder, local?.shape.place.name, local?.shape.kind.rawValue,
            local?.shape.target, local?.shape.isExecutable, local?.isPlaceholder,
            local.map { Int64(bitPattern: $0.stamp.inode) }, local?.stamp.size, local?.stamp.modified, local?.born,
            entry.hasLocalChange, remote?.shape.place.folder, remote?.shape.place.name, remote?.isDeleted == true,
            remote.map { !$0.isDeleted && $0.shape.kind == .folder } ?? false, entry.hasRemoteChange, entry.isPending,
            entry.isOnlyRemote, entry.partialName, entry.hasConflict || entry.conflictsAt != nil,
            remote?.size ?? local?.stamp.size, bytes,
        ]
    }

    /// The columns of ``local(_:)``.
    static let localColumns = """
        id, localFolder, localName, localKind, localTarget, isExecutable, isPlaceholder, inode, localSize, modified, born
        """

    /// An item of the local tree, without the rest of its entry.
    static func local(_ row: SQLiteRow) -> (id: String, local: DriveEntry.Local)? {
        guard let id = row.text(0), let folder = row.text(1), let name = row.text(2),
            let kind = row.text(3).flatMap(FileKind.init), let inode = row.integer(7)
        else { return nil }
        let shape = DriveEntry.Shape(
            place: DrivePlace(folder: folder, name: name), kind: kind, isExecutable: row.integer(5) == 1,
            target: row.text(4))
        let stamp = DriveStamp(
            inode: UInt64(bitPattern: inode), size: row.integer(8) ?? 0, modified: row.integer(9) ?? 0)
        let local = DriveEntry.Local(
            shape: shape, stamp: stamp, isPlaceholder: row.integer(6) == 1, born: row.integer(10) ?? 0)
        return (id, local)
    }
}

extension DriveEntry {
    /// Whether this device has another item than both trees agreed on.
    fileprivate var hasLocalChange: Bool {
        guard let local else { return false }
        return synced.map { isEdited || local.shape != $0.shape } ?? true
    }

    /// Whether the server has another item than both trees agreed on.
    fileprivate var hasRemoteChange: Bool {
        guard let remote, !remote.isDeleted else { return false }
        return synced.map { isNewer || remote.shape != $0.shape } ?? true
    }

    /// Whether only the server has the item, and it is not deleted itself. It comes here if the folders around it are
    /// wanted here.
    fileprivate var isOnlyRemote: Bool { local == nil && synced == nil && remote?.isDeleted == false }

    /// Whether something may have to be done with the item, whatever the folders around it are.
    fileprivate var isPending: Bool { !isSettled && !isOnlyRemote }

    /// The name of the file in which the content of the item may be on its way; nil if no content has to come.
    fileprivate var partialName: String? {
        isSettled ? nil : remote?.checksum.map { DriveFolder.partialName(id, $0) }
    }

    /// Whether nothing has to be done with the item, as long as nothing happens to the folders around it.
    fileprivate var isSettled: Bool {
        guard let local, let remote, let synced else {
            return local == nil && synced == nil && remote?.isDeleted == true
        }
        return !remote.isDeleted && remote.shape == synced.shape && local.shape == synced.shape && !isEdited
            && !isNewer && !(local.isPlaceholder && isKeptHere)
    }
}
