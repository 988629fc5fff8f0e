import Foundation

/// Copies the files of the assets of records that wait to be saved, so that they are there, as they are now, whatever the
/// app does with its own.
enum AssetKeeping {
    /// Records to be archived in the place of `records`: with the copies.
    static func copies(
        of records: [CKRecord], _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ files: OperationFiles
    ) throws -> [CKRecord] {
        var count = 0
        return try records.map { record in
            let assets = PendingSave(record, policy).newAssets
            guard !assets.isEmpty else { return record }
            var kept: [ObjectIdentifier: CKAsset] = [:]
            for (_, asset) in assets where kept[ObjectIdentifier(asset)] == nil {
                guard let url = asset.fileURL, FileManager.default.fileExists(atPath: url.path) else { continue }
                let name = "/asset-\(count)"
                count += 1
                try FileManager.default.copyItem(atPath: url.path, toPath: files.directory + name)
                let place = URL(fileURLWithPath: files.later + name)
                kept[ObjectIdentifier(asset)] = CKAsset(fileURL: place)
                asset.keptURL = place
            }
            return Self.record(record) { kept[ObjectIdentifier($0)] ?? $0 }
        }
    }

    /// A copy of a record with other assets; what is changed in it, and not saved, stays so. The record itself where it has
    /// none.
    static func record(
        _ record: CKRecord, replacing replacement: (CKAsset) throws -> CKAsset
    ) rethrows -> CKRecord {
        var replaced: [CKRecord.FieldKey: RecordValue] = [:]
        for key in record.allKeys() {
            switch record.field(key, isEncrypted: false)?.object {
            case let asset as CKAsset: replaced[key] = RecordValue(try replacement(asset))
            case let list as NSArray where list.contains(where: { $0 is CKAsset }):
                let elements = try list.map { try ($0 as? CKAsset).map(replacement) ?? $0 }
                replaced[key] = RecordValue(NSArray(array: elements))
            default: break
            }
        }
        guard !replaced.isEmpty, let copy = record.copy() as? CKRecord else { return record }
        copy.state.withLock { $0.plain.replace(replaced) }
        return copy
    }
}
