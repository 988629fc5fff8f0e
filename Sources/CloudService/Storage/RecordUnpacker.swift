import CloudModel

/// Makes records for answers out of stored forms. Their fields stay packed, and names that are mostly the same in all
/// records of an answer are made once.
struct RecordUnpacker {
    let zoneID: ZoneID
    private var recordType = ""
    private var users: (created: String, modified: String) = ("", "")
    private var devices: (created: String, modified: String) = ("", "")

    init(zoneID: ZoneID) { self.zoneID = zoneID }

    mutating func record(stored bytes: [UInt8], version: UInt64) throws -> Record {
        var reader = try StoredRecord.reader(of: bytes)
        let recordName = try reader.string()
        try reader.string(like: &recordType)
        let created = try RecordStamp(from: &reader, like: &users.created, &devices.created)
        let modified =
            try reader.optional { try RecordStamp(from: &$0, like: &users.modified, &devices.modified) } ?? created
        let parent = try reader.optional { try Reference(from: &$0) }
        let share = try reader.optional { try Reference(from: &$0) }
        let shortGUID = try reader.optional { try $0.string() }
        return Record(
            recordName: recordName, recordType: recordType, zoneID: zoneID,
            recordChangeTag: StoredRecord.changeTag(version), fields: FieldMap(try StoredFields(&reader)),
            created: created, modified: modified, parent: parent, share: share, shortGUID: shortGUID)
    }
}

extension RecordStamp {
    fileprivate init(
        from reader: inout ByteReader, like user: inout String, _ device: inout String
    ) throws {
        let timestamp = try reader.signed()
        try reader.string(like: &user)
        try reader.string(like: &device)
        self.init(timestamp: timestamp, userRecordName: user, deviceID: device)
    }
}
