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
            guard !assets.isEmpty, let copy = record.copy() as? CKRecord else { return record }
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
            for key in Set(assets.map { $0.key }) {
                guard let value = record.field(key, isEncrypted: false) else { continue }
                copy.setField(replacing(value, kept), key, isEncrypted: false)
            }
            return copy
        }
    }

    private static func replacing(_ value: RecordValue, _ kept: [ObjectIdentifier: CKAsset]) -> RecordValue? {
        func replaced(_ object: Any) -> Any {
            (object as? CKAsset).flatMap { kept[ObjectIdentifier($0)] } ?? object
        }
        if let list = value.object as? NSArray { return RecordValue(NSArray(array: list.map(replaced))) }
        return RecordValue(replaced(value.object))
    }
}
