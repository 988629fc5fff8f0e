import CloudModel

/// A record as it lies in the store. Its zone and its version are in its key.
struct StoredRecord: Hashable, Sendable {
    var recordName: String
    var recordType: String
    /// The zone's counter when it was saved; the change tag is made of it.
    var version: UInt64
    var fields: FieldMap
    var created: RecordStamp
    var modified: RecordStamp
    var parent: Reference?
    var share: Reference?
    var shortGUID: String?

    /// Base-36 text of the version, as short as Apple's tags.
    var changeTag: String { Self.changeTag(version) }

    static func changeTag(_ version: UInt64) -> String {
        // By hand, because it stands in every record of an answer.
        let longest = 13
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { digits in
            var (place, rest) = (longest, version)
            repeat {
                place -= 1
                let digit = UInt8(truncatingIfNeeded: rest % 36)
                digits[place] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
                rest /= 36
            } while rest > 0
            return String(decoding: UnsafeBufferPointer(rebasing: digits[place..<longest]), as: UTF8.self)
        }
    }

    /// As answers show it.
    func record(in zoneID: ZoneID) -> Record {
        Record(
            recordName: recordName, recordType: recordType, zoneID: zoneID, recordChangeTag: changeTag, fields: fields,
            created: created, modified: modified, parent: parent, share: share, shortGUID: shortGUID)
    }
}

/// What remains of a deleted record in a zone with a change feed.
struct Tombstone: Hashable, Sendable {
    var recordType: String
    var version: UInt64
    /// Milliseconds since 1970-01-01 UTC, for the retention time.
    var deleted: Int64
}

/// What stands under a name.
enum RecordSlot: Hashable, Sendable {
    case live(StoredRecord)
    case deleted(Tombstone)

    var live: StoredRecord? {
        if case .live(let record) = self { record } else { nil }
    }
}
