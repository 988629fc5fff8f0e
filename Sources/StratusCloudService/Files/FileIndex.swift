import StratusCloudModel
import StratusCloudStore

/// Keeps the names of each folder, and what is due, with every record of an item that is written, in its transaction.
enum FileIndex {
    /// Where an item stands in its folder.
    struct Place: Hashable {
        let folder: String?
        let key: String

        func storeKey(in zone: ZoneNumber) -> Key { Keyspace.fileName(zone: zone, folder: folder, key: key) }
    }

    /// The place of an item; nil in Recently Deleted.
    static func place(of record: StoredRecord) throws -> Place? {
        guard record.fields[FileFormat.deleted] == nil, let name = record.fields.string(FileFormat.name) else {
            return nil
        }
        return Place(folder: record.folder, key: try FileNameKey.key(name))
    }

    /// The entries of an item.
    static func entries(of record: StoredRecord, in zone: ZoneNumber) throws -> [StoreEntry] {
        var entries = dueEntries(of: record, in: zone)
        if let place = try place(of: record) {
            entries.append(StoreEntry(key: place.storeKey(in: zone), value: Array(record.recordName.utf8)))
        }
        return entries
    }

    /// The entries of a record for which something is due.
    static func dueEntries(of record: StoredRecord, in zone: ZoneNumber) -> [StoreEntry] {
        FileDue.allCases.compactMap { due in
            record.time(of: due).map {
                StoreEntry(
                    key: Keyspace.fileDue(zone: zone, due, at: $0, recordName: record.recordName), value: [])
            }
        }
    }

    /// Follows a record from one state to the next; nil is no record.
    static func update(
        from old: StoredRecord?, to new: StoredRecord?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {
        let (before, after) = (try old.flatMap(place), try new.flatMap(place))
        if before != after {
            if let old, let before {
                let key = before.storeKey(in: zone)
                // Another item of the same batch may have taken the name already.
                if try transaction.get(key) == Array(old.recordName.utf8) { transaction.clear(key) }
            }
            if let new, let after { transaction.set(after.storeKey(in: zone), Array(new.recordName.utf8)) }
        }
        updateDue(from: old, to: new, in: zone, transaction)
    }

    /// Follows a record by when something is due for it.
    static func updateDue(
        from old: StoredRecord?, to new: StoredRecord?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) {
        for due in FileDue.allCases {
            let (before, after) = (old?.time(of: due), new?.time(of: due))
            guard before != after else { continue }
            if let old, let before {
                transaction.clear(Keyspace.fileDue(zone: zone, due, at: before, recordName: old.recordName))
            }
            if let new, let after {
                transaction.set(Keyspace.fileDue(zone: zone, due, at: after, recordName: new.recordName), [])
            }
        }
    }
}

extension StoredRecord {
    /// The record name of the folder that the item is in; nil for the root folder.
    var folder: String? { fields.reference(FileFormat.folder)?.recordName }

    var isDeletedFile: Bool { fields[FileFormat.deleted] != nil }

    var isFolder: Bool { fields.string(FileFormat.kind) == FileKind.folder.rawValue }

    fileprivate func time(of due: FileDue) -> Int64? {
        switch due {
        case .deletion: fields.time(FileFormat.deleted).map { $0 + FileLimits.recentlyDeletedLifetime }
        case .version: fields.fileVersions.filter { !$0.isConflict }.map(\.expires).min()
        case .publication: recordType == PublicationFormat.recordType ? fields.time(PublicationFormat.expires) : nil
        }
    }
}
