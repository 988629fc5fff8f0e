import Foundation
import Glibc
import StratusSQLite

/// Stores as files: their metadata, and what is done to them as a whole.
enum StoreFiles {
    /// The files of a store besides the one with its name.
    private static let endings = ["-wal", "-shm", "-journal"]

    /// Returns the metadata of a store, which may be open.
    static func metadata(at path: String) throws -> [String: Any] {
        let header = try translated { try file(at: path, isReadOnly: true).header() }
        return header.metadata.merging(
            [MetadataKey.identifier: header.identifier, MetadataKey.type: NSSQLiteStoreType], uniquingKeysWith: { $1 })
    }

    /// Deletes a store with all its files. Without a file there is nothing to delete.
    /// - Throws: ``StoreFailure`` if the file is not a store, or is open.
    static func destroy(at path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try translated {
            let file = try file(at: path, isReadOnly: false)
            guard try file.tableNames().isEmpty == false else { return }
            _ = try file.header()
            try file.connection.excludeOthers()
            try unlinkAll(path)
        }
        try? FileManager.default.removeItem(at: ExternalFiles.support(of: URL(fileURLWithPath: path)))
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

    /// Copies the contents of an open store to a file.
    static func copy(_ file: StoreFile, externalData: ExternalFiles?, to path: String) throws {
        let destination = try SQLiteConnection(path: path, busyTimeout: .zero)
        try destination.excludeOthers()
        let own = ExternalFiles(store: path)
        let former = own?.names() ?? []
        var copied: [String] = []
        do {
            if let externalData, let own { copied = try externalData.copyAll(to: own) }
            try file.connection.copyContents(to: destination)
        } catch {
            own?.remove(copied.filter { !former.contains($0) })
            throw error
        }
        own?.remove(former.filter { !copied.contains($0) })
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
    /// Copies the store to a file, which is replaced if it is a store.
    func copy(to path: String) throws {
        try access { try StoreFiles.copy($0, externalData: layout.external, to: path) }
    }
}
