import StratusCloudModel

/// A record as it lies in the store. Its zone and its version are in its key.
struct StoredRecord: Hashable, Sendable {
    private struct Parts: Hashable, Sendable {
        var recordName: String
        var recordType: String
        var fields: FieldMap
        var created: RecordStamp
        var modified: RecordStamp
        var parent: Reference?
        var share: Reference?
        var shortGUID: String?
    }

    /// The zone's counter when it was saved; the change tag is made of it. Apart from the rest, since it is known last: a
    /// draft is given its version without being copied.
    var version: UInt64
    private var parts: CopyOnWrite<Parts>

    init(
        recordName: String, recordType: String, version: UInt64, fields: FieldMap, created: RecordStamp,
        modified: RecordStamp, parent: Reference? = nil, share: Reference? = nil, shortGUID: String? = nil
    ) {
        self.version = version
        parts = CopyOnWrite(
            Parts(
                recordName: recordName, recordType: recordType, fields: fields, created: created, modified: modified,
                parent: parent, share: share, shortGUID: shortGUID))
    }

    var recordName: String {
        _read { yield parts.value.recordName }
        _modify { yield &parts.value.recordName }
    }
    var recordType: String {
        _read { yield parts.value.recordType }
        _modify { yield &parts.value.recordType }
    }
    var fields: FieldMap {
        _read { yield parts.value.fields }
        _modify { yield &parts.value.fields }
    }
    var created: RecordStamp {
        _read { yield parts.value.created }
        _modify { yield &parts.value.created }
    }
    var modified: RecordStamp {
        _read { yield parts.value.modified }
        _modify { yield &parts.value.modified }
    }
    var parent: Reference? {
        _read { yield parts.value.parent }
        _modify { yield &parts.value.parent }
    }
    var share: Reference? {
        _read { yield parts.value.share }
        _modify { yield &parts.value.share }
    }
    var shortGUID: String? {
        _read { yield parts.value.shortGUID }
        _modify { yield &parts.value.shortGUID }
    }

    /// Base-36 text of the version, as short as Apple's tags.
    var changeTag: String { Self.changeTag(version) }

    static func changeTag(_ version: UInt64) -> String { Base36.text(version) }

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
