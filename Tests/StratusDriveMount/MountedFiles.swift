import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTestSupport
import StratusTesting
import StratusWorkers

@testable import StratusDriveMount

/// The files of a person as a mount knows them, with a whole cloud in the test's process and without the kernel.
struct MountedFiles {
    /// The threads of all tests, because the threads of a pool live as long as the process.
    private static let pool = WorkerPool(threads: 2)
    /// Records that are saved in one operation.
    private static let batch = 400

    let cloud: LocalCloud
    let database: CKDatabase
    let fileSystem: MountFileSystem
    private let directory: TemporaryDirectory

    init() async throws {
        cloud = try await LocalCloud()
        database = cloud.account("ada").device().container.privateCloudDatabase
        directory = try TemporaryDirectory(inMemory: true)
        fileSystem = MountFileSystem(
            database: database, store: try MountStore(directory.path + "/items.sqlite"),
            cache: try ContentCache(
                directory: directory.path + "/contents", unsentDirectory: directory.path + "/unsent", limit: 1 << 20,
                unsent: []), items: [], pool: Self.pool, kernel: KernelCache(), wake: {})
    }

    /// Makes items on the server.
    func make(_ names: [String], kind: FileKind = .file, in folder: String? = nil) async throws {
        let records = names.map { name in
            let record = CKRecord(recordType: FileFormat.recordType, recordID: FileRecord.recordID("id of \(name)"))
            record[FileFormat.name] = name
            record[FileFormat.kind] = kind.rawValue
            record[FileFormat.folder] = folder.map {
                CKRecord.Reference(recordID: FileRecord.recordID("id of \($0)"), action: .deleteSelf)
            }
            return record
        }
        for start in stride(from: 0, to: records.count, by: Self.batch) {
            let part = Array(records[start..<min(start + Self.batch, records.count)])
            for (_, result) in try await database.modifyRecords(saving: part, deleting: []).saveResults {
                _ = try result.get()
            }
        }
    }

    /// Moves an item to Recently Deleted, as another device does.
    @discardableResult
    func delete(_ name: String) async throws -> CKRecord.ID {
        let record = CKRecord(recordType: FileFormat.recordType, recordID: FileRecord.recordID("id of \(name)"))
        record[FileFormat.deleted] = Date(timeIntervalSince1970: 0)
        for (_, result) in try await database.modifyRecords(
            saving: [record], deleting: [], savePolicy: .changedKeys
        ).saveResults {
            _ = try result.get()
        }
        return record.recordID
    }

    /// Deletes an item on the server, and not only to Recently Deleted.
    func deleteForGood(_ name: String) async throws {
        try await database.deleteRecord(withID: try await delete(name))
    }

    /// Writes a text through the handle of an open file.
    func write(_ text: String, to handle: UInt64) async throws {
        let file = try fileSystem.file(handle)
        file.begin(handle)
        try await fileSystem.makeWritable(file)
        try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// The contents of files on the server by their names, without those in Recently Deleted.
    func contentsOnServer() async throws -> [String: String] {
        let query = CKQuery(recordType: FileFormat.recordType, predicate: NSPredicate(value: true))
        let found = try await database.records(matching: query, inZoneWith: FileRecord.zoneID).matchResults
        var contents: [String: String] = [:]
        for (_, result) in found {
            let record = try result.get()
            guard record[FileFormat.deleted] == nil, let name = record[FileFormat.name] as? String else { continue }
            let url = (record[FileFormat.content] as? CKAsset)?.fileURL
            contents[name] = try url.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) } ?? ""
        }
        return contents
    }

    /// The names in a folder, as a program reads them that begins at an offset.
    func names(_ handle: UInt64, from offset: Int = 0) throws -> [String] {
        try fileSystem.listing(handle, from: offset).dropFirst(offset).map(\.name)
    }

    /// The names in a folder.
    func names(in folder: UInt64 = MountFileSystem.rootInode) throws -> Set<String> {
        let handle = try fileSystem.openFolder(folder)
        defer { fileSystem.closeFolder(handle) }
        return Set(try names(handle)).subtracting([".", ".."])
    }
}
