import Foundation
import StratusCloudModel

/// A file or folder, as its record describes it.
package struct FileRecord: Sendable {
    /// The zone of all items.
    package static let zoneID = CKRecordZone.ID(zoneName: FileFormat.zoneName)

    /// The name of the record.
    package let id: String
    package let name: String
    /// The name of the folder's record; nil in the root folder and in Recently Deleted.
    package let folder: String?
    package let kind: FileKind
    package let isExecutable: Bool
    /// The target of a symbolic link; nil for other items.
    package let target: String?
    /// Identifies the content; nil for items without one.
    package let checksum: String?
    /// Bytes of the content, or of a link's target.
    package let size: Int64

    /// Reads a record; nil for one that breaks the rules of files. A server is not trusted to hold them.
    package init?(_ record: CKRecord) {
        guard record.recordID.zoneID.zoneName == FileFormat.zoneName, record.recordType == FileFormat.recordType,
            let name = record[FileFormat.name] as? String, Self.isValid(name),
            let kind = (record[FileFormat.kind] as? String).flatMap(FileKind.init)
        else { return nil }
        id = record.recordID.recordName
        self.name = name
        self.kind = kind
        folder = (record[FileFormat.folder] as? CKRecord.Reference)?.recordID.recordName
        isExecutable = kind == .file && (record[FileFormat.executable] as? Int64 ?? 0) != 0
        let asset = kind.hasContent ? (record[FileFormat.content] as? CKAsset)?.serverDescription : nil
        checksum = asset?.checksum
        target = kind == .link ? record[FileFormat.target] as? String : nil
        size = asset?.size ?? Int64(target?.utf8.count ?? 0)
        guard folder != id, size >= 0 else { return nil }
        guard kind == .link else { return }
        guard let target, !target.isEmpty, target.utf8.count <= FileLimits.targetSize, !target.utf8.contains(0) else {
            return nil
        }
    }

    private static func isValid(_ name: String) -> Bool {
        do throws(CloudError) { try FileName.check(name) } catch { return false }
        return true
    }

    /// The name of an item's record in the zone.
    package static func recordID(_ id: String) -> CKRecord.ID { CKRecord.ID(recordName: id, zoneID: zoneID) }

    /// A date in milliseconds since 1970-01-01 UTC. Dates that no system has are brought to the next one that it has.
    package static func milliseconds(_ date: Date) -> Int64 {
        Int64((min(max(date.timeIntervalSince1970, -60_000_000_000), 250_000_000_000) * 1_000).rounded())
    }
}
