import Foundation
import StratusCloudKit
import StratusCloudModel

/// A record on its way, and the changes of its entry once the server has it.
struct DriveSending {
    let entry: DriveEntry
    let step: DriveStep
    let record: CKRecord
    let shape: DriveEntry.Shape?
    private var copy: String?
    private var checksum: String?
    private var stamp: DriveStamp?

    init(entry: DriveEntry, step: DriveStep, record: CKRecord, shape: DriveEntry.Shape?) {
        self.entry = entry
        self.step = step
        self.record = record
        self.shape = shape
    }

    mutating func take(_ snapshot: (copy: String, checksum: String, stamp: DriveStamp)) {
        (copy, checksum, stamp) = (snapshot.copy, snapshot.checksum, snapshot.stamp)
    }

    /// Bytes of the copy, as far as they are known.
    var size: Int64 { copy == nil ? 0 : stamp?.size ?? 0 }

    func removeCopy() { if let copy { try? FileManager.default.removeItem(atPath: copy) } }

    func note(in entry: inout DriveEntry, _ record: CKRecord) {
        var remote =
            entry.remote
            ?? DriveEntry.Remote(
                shape: shape ?? DriveEntry.Shape(place: DrivePlace(folder: "", name: ""), kind: .file))
        (remote.changeTag, remote.systemFields) = (record.recordChangeTag, nil)
        guard let shape else {
            remote.deleted = FileRecord.milliseconds(record[FileFormat.deleted] as? Date ?? Date())
            entry.remote = remote
            entry.synced = nil
            return
        }
        remote.shape = shape
        remote.deleted = nil
        var synced = entry.synced ?? DriveEntry.Synced(shape: shape)
        synced.shape = shape
        if let checksum {
            entry.upload = nil
            // The next fetch shows which content is current.
            (synced.checksum, synced.stamp) = (checksum, stamp)
            remote.checksum = checksum
        }
        (entry.remote, entry.synced) = (remote, synced)
    }
}
