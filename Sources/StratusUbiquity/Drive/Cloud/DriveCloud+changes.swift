import Foundation
import StratusCloudKit
import StratusCloudModel

/// Changes of records that people ask for, beside those that the comparison of the trees makes.
extension DriveCloud {
    /// Makes a former content of a file the current one.
    func restore(_ id: String, version: Int64) async throws {
        let record = try await record(id, [FileFormat.versions, FileFormat.versionNumbers, FileFormat.versionModified])
        let numbers = record[FileFormat.versionNumbers] as? [Int64] ?? []
        let contents = record[FileFormat.versions] as? [CKAsset] ?? []
        guard let index = numbers.firstIndex(of: version), index < contents.count, let url = contents[index].fileURL
        else { throw DriveError(.noSuchVersion, "the server does not keep version \(version) any more") }
        record[FileFormat.content] = CKAsset(fileURL: url)
        record[FileFormat.modified] = Date()
        try await save(record)
    }

    /// Says that the current content of a file is the one that people want.
    /// - Parameter numbers: Those of the versions that are in conflict with it no more; nil for all.
    func resolveConflicts(of id: String, _ numbers: Set<Int64>? = nil) async throws {
        let record = try await record(id, [FileFormat.conflicts])
        let known = record[FileFormat.conflicts] as? [Int64] ?? []
        let open = numbers.map { numbers in known.filter { !numbers.contains($0) } } ?? []
        guard open != known else { return }
        record[FileFormat.conflicts] = open.isEmpty ? nil : open
        try await save(record)
    }

    /// Takes an item out of Recently Deleted, into the folder that it was in; if that is gone, into the root folder.
    func restoreDeleted(_ id: String) async throws {
        let record = try await record(id, [FileFormat.deleted, FileFormat.deletedFrom])
        let former = record[FileFormat.deletedFrom] as? String
        record[FileFormat.deleted] = nil as Date?
        if let former, let folder = try await folder(former) {
            record[FileFormat.folder] = CKRecord.Reference(record: folder, action: .deleteSelf)
        }
        try await save(record)
    }

    /// A folder; nil if it is deleted.
    private func folder(_ id: String) async throws -> CKRecord? {
        do {
            let folder = try await record(id, [FileFormat.deleted])
            return folder[FileFormat.deleted] == nil ? folder : nil
        } catch let error as CKError where error.code == .unknownItem {
            return nil
        } catch let error as DriveError where error.code == .noSuchFile {
            return nil
        }
    }

    private func record(_ id: String, _ keys: [CKRecord.FieldKey]) async throws -> CKRecord {
        let id = FileRecord.recordID(id)
        let found = try await database.records(for: [id], desiredKeys: keys)
        guard let result = found[id] else {
            throw DriveError(.noSuchFile, "the server does not have the item any more")
        }
        return try result.get()
    }

    private func save(_ record: CKRecord) async throws {
        guard case .failed(let error)? = await send([record])[record.recordID.recordName] else { return }
        throw error
    }
}
