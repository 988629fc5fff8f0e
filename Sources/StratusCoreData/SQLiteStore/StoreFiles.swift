import Foundation
import Glibc
import StratusDeviceCredentials
import StratusSQLite

/// Stores as files: their metadata, and what is done to them as a whole.
enum StoreFiles {
    /// The files of a store besides the one with its name.
    private static let endings = ["-wal", "-shm", "-journal"]
    /// The ending of the file whose lock the process holds that mirrors a store.
    private static let mirroringEnding = "-mirroring"

    /// Returns the path of the file whose lock the process holds that mirrors a store.
    static func mirroringLock(of path: String) -> String { path + mirroringEnding }

    /// Returns the metadata of a store, which may be open.
    static func metadata(at path: String) throws -> [String: Any] {
        let header = try translated { try file(at: path, isReadOnly: true).header() }
        return header.metadata.merging(
            [MetadataKey.identifier: header.identifier, MetadataKey.type: NSSQLiteStoreType], uniquingKeysWith: { $1 })
    }

    /// Notes that the stage of a migration has ended.
    static func removeMarkOfStage(at path: String, timeout: Duration) throws {
        try translated {
            let file = try StoreFile(path: path, isReadOnly: false, timeout: timeout)
            try file.connection.transaction { try file.setUnfinishedStage(nil) }
        }
    }

    /// Deletes a store with all its files. Without a file there is nothing to delete but a lock that was left behind.
    /// The lock of a process that still mirrors the store stays.
    /// - Throws: ``StoreFailure`` if the file is not a store, or is open.
    static func destroy(at path: String, evenIfOpen: Bool = false) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            return FileLock.removeFile(mirroringLock(of: path))
        }
        guard !evenIfOpen else {
            // The names of the external files of a damaged store cannot be read.
            let own = try? file(at: path, isReadOnly: true).externalFileNames()
            try unlinkAll(path)
            FileLock.removeFile(mirroringLock(of: path))
            return removeSupport(of: path, own ?? [])
        }
        let own: Set<String>? = try translated {
            let file = try file(at: path, isReadOnly: false)
            guard try file.tableNames().isEmpty == false else { return nil }
            _ = try file.header()
            try file.connection.excludeOthers()
            let own = try file.externalFileNames()
            try unlinkAll(path)
            return own
        }
        guard let own else { return }
        FileLock.removeFile(mirroringLock(of: path))
        removeSupport(of: path, own)
    }

    /// Removes the directory beside a store, but of one that another store shares only the store's own files.
    private static func removeSupport(of path: String, _ own: Set<String>) {
        let store = URL(fileURLWithPath: path)
        let support = ExternalFiles.support(of: store)
        let folder = store.deletingLastPathComponent()
        let neighbours = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let isShared = neighbours.contains { name in
            !(endings + [mirroringEnding]).contains(where: name.hasSuffix)
                && ExternalFiles.support(of: folder.appendingPathComponent(name)) == support
        }
        if isShared {
            ExternalFiles(store: path)?.remove(own)
        } else {
            // A directory that stays takes only room.
            try? FileManager.default.removeItem(at: support)
        }
    }

    private static func unlinkAll(_ path: String) throws {
        for name in [path] + endings.map({ path + $0 }) where unlink(name) != 0 && errno != ENOENT {
            throw StoreFailure(.inputOutput, "'\(name)' cannot be deleted: \(String(cString: strerror(errno)))")
        }
    }

    /// Gives a store the contents of another one. External data is copied before, and what nobody needs any more is
    /// deleted after.
    static func replace(at path: String, with source: String) throws {
        guard path != source else { throw StoreFailure(.misuse, "a store cannot be replaced by itself") }
        try translated {
            let file = try file(at: source, isReadOnly: true)
            _ = try file.header()
            try copy(file, externalData: ExternalFiles(store: source), to: path)
        }
    }

    /// Gives a store that only the caller has open the contents of another one.
    static func replace(_ store: StoreFile, at path: String, with source: String) throws {
        let file = try file(at: source, isReadOnly: true)
        try copy(file, externalData: ExternalFiles(store: source), to: store, at: path)
    }

    /// Copies the contents of an open store to a file.
    static func copy(_ file: StoreFile, externalData: ExternalFiles?, to path: String) throws {
        let destination = try StoreFile(path: path, isReadOnly: false, timeout: .zero)
        try destination.connection.excludeOthers()
        try copy(file, externalData: externalData, to: destination, at: path)
    }

    private static func copy(
        _ file: StoreFile, externalData: ExternalFiles?, to destination: StoreFile, at path: String
    ) throws {
        let own = ExternalFiles(store: path)
        let former = try destination.externalFileNames()
        var (needed, copied): (Set<String>, [String]) = ([], [])
        do {
            try withoutWriters(of: file) {
                if let externalData, let own {
                    needed = try file.externalFileNames()
                    guard needed.isEmpty || externalData != own else {
                        throw StoreFailure(
                            .unsupported,
                            "stores whose names differ only in the extension share their external data, "
                                + "so that one cannot be a copy of the other")
                    }
                    copied = try externalData.copy(needed, to: own)
                }
                try file.connection.copyContents(to: destination.connection)
            }
        } catch {
            own?.remove(copied)
            throw error
        }
        own?.remove(former.subtracting(needed))
    }

    /// Runs a block while no other connection writes to a file. Otherwise, external files could be replaced between their
    /// copy and that of their rows.
    private static func withoutWriters(of file: StoreFile, _ body: () throws -> Void) throws {
        let mode = try file.statement("PRAGMA locking_mode").first { $0.text(0) }
        guard let path = file.connection.path, mode != "exclusive" else { return try body() }
        // The connection that is copied from must not be in a transaction that writes.
        let guardian = try SQLiteConnection(path: path, busyTimeout: SQLiteRowStore.Options().timeout)
        guard !guardian.isReadOnly else { return try body() }
        try guardian.transaction(body)
    }

    private static func file(at path: String, isReadOnly: Bool) throws -> StoreFile {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreFailure(.missing, "there is no file \(path)")
        }
        return try StoreFile(path: path, isReadOnly: isReadOnly, timeout: .zero)
    }

    private static func translated<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreFailure(error)
        }
    }
}

extension SQLiteRowStore {
    func move(to path: String, willClose: () -> Void) throws {
        try accessAndClose {
            try StoreFiles.copy($0, externalData: layout.external, to: path)
            willClose()
        }
    }
}

extension StoreFile {
    /// Returns the names of the files with external data that rows refer to, whatever the model is.
    func externalFileNames() throws -> Set<String> {
        var names: Set<String> = []
        for table in try tableNames() {
            for column in try columnNames(of: table, type: "BLOB").map(quoted) {
                // The mark of external data, a UUID and maybe a NUL.
                let select = try connection.prepare(
                    "SELECT \(column) FROM \(quoted(table)) WHERE typeof(\(column)) = 'blob' "
                        + "AND length(\(column)) BETWEEN 37 AND 38 AND substr(\(column), 1, 1) = x'02'")
                let found = try select.all { ExternalData($0.blob(0) ?? []) }
                for case .inFile(let name)? in found where UUID(uuidString: name) != nil { names.insert(name) }
            }
        }
        return names
    }
}
