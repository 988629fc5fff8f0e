import StratusCloudModel
import StratusCloudStore

/// What of files is waited for.
enum FileDue: UInt8, CaseIterable {
    // The raw values are stored; never renumber them.
    /// An item of Recently Deleted is deleted for good.
    case deletion = 1
    /// A former content of a file is given up.
    case version = 2
    /// A publication ends.
    case publication = 3
}

/// Keys of files, which ``FileIndex`` keeps.
extension Keyspace {
    /// The item of a name in a folder. The value is the name of its record.
    /// - Parameter folder: The record name of the folder; nil for the root folder.
    static func fileName(zone: ZoneNumber, folder: String?, key: String) -> Key {
        var encoder = fileNamePrefix(zone: zone, folder: folder)
        encoder.append(rest: key.utf8)
        return encoder.key
    }

    /// The items of a folder, in the order of the keys of their names.
    static func fileNames(zone: ZoneNumber, folder: String?) -> KeyRange {
        KeyRange(prefix: fileNamePrefix(zone: zone, folder: folder).key)
    }

    private static func fileNamePrefix(zone: ZoneNumber, folder: String?) -> TupleEncoder {
        var encoder = prefix(.fileName, zone: zone)
        // No record has the empty name.
        encoder.append(string: folder ?? "")
        return encoder
    }

    /// An item for which something is due at a time.
    static func fileDue(zone: ZoneNumber, _ due: FileDue, at time: Int64, recordName: String) -> Key {
        var encoder = prefix(.fileDue, zone: zone)
        encoder.append(byte: due.rawValue)
        encoder.append(signed: time)
        encoder.append(rest: recordName.utf8)
        return encoder.key
    }

    /// What is due, in the order of the times, up to a time, that time included.
    static func filesDue(zone: ZoneNumber, _ due: FileDue, until time: Int64) -> KeyRange {
        var encoder = prefix(.fileDue, zone: zone)
        encoder.append(byte: due.rawValue)
        let start = encoder.key
        encoder.append(signed: time)
        return KeyRange(lower: start, upper: encoder.key.afterAllWithThisPrefix)
    }

    /// The record name of a ``fileDue(zone:_:at:recordName:)``.
    static func fileDueRecordName(_ key: Key) -> String? {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.unsigned() != nil, decoder.byte() != nil, decoder.signed() != nil else { return nil }
        return String(validating: decoder.rest(), as: UTF8.self)
    }
}
