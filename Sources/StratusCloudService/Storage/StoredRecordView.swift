import StratusCloudModel

/// A record's stored form, where it lies.
struct StoredRecordView: PackedRecord {
    let head: RecordHead
    private let fields: StoredFieldsView
    private let wanted: Set<String>?

    /// Looks at memory that is there as long as the view.
    /// - Parameter wanted: names of the fields to show; nil for all.
    init(
        stored bytes: UnsafeRawBufferPointer, version: UInt64, zoneID: ZoneID, wanted: Set<String>? = nil
    ) throws {
        var reader = try StoredRecord.reader(of: bytes)
        let recordName = try reader.text()
        let recordType = try reader.text()
        let created = try RecordHead.Stamp(from: &reader)
        let modified = try reader.optional { try RecordHead.Stamp(from: &$0) } ?? created
        let links = try Self.links(from: &reader)
        // Everything that may fail comes before, so that nothing half made need be copied.
        fields = try StoredFieldsView(&reader)
        head = RecordHead(
            recordName: recordName, recordType: recordType, zoneID: zoneID,
            recordChangeTag: StoredRecord.changeTag(version), created: created, modified: modified, links: links)
        self.wanted = wanted
    }

    private static func links(from reader: inout ByteReader) throws -> RecordHead.Links? {
        // None of the three in nearly all records.
        if try reader.skipZeros(3) { return nil }
        return RecordHead.Links.unlessEmpty(
            parent: try reader.optional { try Reference(from: &$0) },
            share: try reader.optional { try Reference(from: &$0) },
            shortGUID: try reader.optional { try $0.string() })
    }

    func visitFields(_ visitor: inout some FieldVisitor) throws { try fields.visit(&visitor, wanted) }

    /// Its fields stay packed if all are wanted.
    func record() throws -> Record {
        let record = Record(
            recordName: String(decoding: head.recordName, as: UTF8.self), recordType: recordType, zoneID: head.zoneID,
            recordChangeTag: head.recordChangeTag, fields: FieldMap(try StoredFields(fields)),
            created: RecordStamp(head.created), modified: RecordStamp(head.modified), parent: head.links?.parent,
            share: head.links?.share, shortGUID: head.links?.shortGUID)
        return record.keepingFields(wanted.map(Array.init))
    }

    var recordType: String { String(decoding: head.recordType, as: UTF8.self) }

    /// Whether it is a share record.
    var isShare: Bool { head.recordType.elementsEqual(Self.shareType) }

    private static let shareType = Array(SystemRecordType.share.utf8)
}

extension RecordHead.Stamp {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(timestamp: try reader.signed(), userRecordName: try reader.text(), deviceID: try reader.text())
    }
}

extension RecordStamp {
    fileprivate init(_ stamp: RecordHead.Stamp) {
        self.init(
            timestamp: stamp.timestamp, userRecordName: String(decoding: stamp.userRecordName, as: UTF8.self),
            deviceID: String(decoding: stamp.deviceID, as: UTF8.self))
    }
}
