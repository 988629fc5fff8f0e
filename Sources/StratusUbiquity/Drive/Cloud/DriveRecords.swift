import Foundation
import StratusCloudKit
import StratusCloudModel

/// Records of items, as an agent reads and writes them.
enum DriveRecords {
    /// The item that a record describes; nil for one that no agent can have in its folder. Servers and other clients
    /// are not trusted: names that lead out of a folder, or into Stratus's own, are refused.
    static func remote(_ record: CKRecord) -> DriveEntry.Remote? {
        guard let file = FileRecord(record), UbiquityState.item(ofPlaceholder: file.name) == nil,
            file.folder != nil || file.name != UbiquityContainer.ownFolder
        else { return nil }
        let shape = DriveEntry.Shape(
            place: DrivePlace(folder: file.folder ?? "", name: file.name), kind: file.kind,
            isExecutable: file.isExecutable, target: file.target)
        return DriveEntry.Remote(
            shape: shape, checksum: file.checksum, size: file.kind == .link ? 0 : file.size,
            version: record[FileFormat.contentVersion] as? Int64 ?? 0,
            modified: FileRecord.milliseconds(record[FileFormat.modified] as? Date ?? Date(timeIntervalSince1970: 0)),
            versions: versions(record), conflicts: record[FileFormat.conflicts] as? [Int64] ?? [],
            isShared: record.share != nil, deleted: (record[FileFormat.deleted] as? Date).map(FileRecord.milliseconds),
            changeTag: record.recordChangeTag)
    }

    /// The former contents of a file. Lists of different lengths, which a server does not send, are cut to the shortest.
    private static func versions(_ record: CKRecord) -> [DriveEntry.Version] {
        let contents = record[FileFormat.versions] as? [CKAsset] ?? []
        let numbers = record[FileFormat.versionNumbers] as? [Int64] ?? []
        let dates = record[FileFormat.versionModified] as? [Date] ?? []
        let devices = record[FileFormat.versionDevices] as? [String] ?? []
        return (0..<min(contents.count, numbers.count, dates.count)).map { index in
            let device = index < devices.count && !devices[index].isEmpty ? devices[index] : nil
            let content = contents[index].serverDescription
            return DriveEntry.Version(
                number: numbers[index], size: content?.size ?? 0, modified: FileRecord.milliseconds(dates[index]),
                device: device, checksum: content?.checksum)
        }
    }

    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// The record of an item, in which what is to be saved can be set.
    static func record(_ entry: DriveEntry) -> CKRecord {
        let id = FileRecord.recordID(entry.id)
        if let changeTag = entry.remote?.changeTag {
            return CKRecord(recordType: FileFormat.recordType, recordID: id, changeTag: changeTag)
        }
        return entry.remote?.systemFields.flatMap(archived) ?? CKRecord(recordType: FileFormat.recordType, recordID: id)
    }

    private static func archived(_ systemFields: Data) -> CKRecord? {
        guard let coder = try? NSKeyedUnarchiver(forReadingFrom: systemFields) else { return nil }
        coder.requiresSecureCoding = true
        return CKRecord(coder: coder)
    }

    /// Sets what a record says of an item beside its content.
    static func write(_ shape: DriveEntry.Shape, to record: CKRecord, isNew: Bool) {
        record[FileFormat.name] = shape.place.name
        record[FileFormat.folder] =
            shape.place.folder.isEmpty
            ? nil : CKRecord.Reference(recordID: FileRecord.recordID(shape.place.folder), action: .deleteSelf)
        if isNew { record[FileFormat.kind] = shape.kind.rawValue }
        if shape.kind == .link { record[FileFormat.target] = shape.target }
        if shape.kind == .file { record[FileFormat.executable] = shape.isExecutable ? 1 as Int64 : nil }
    }
}
