import CloudModel

/// Parts of records that are mostly the same in all records of an answer, ready as JSON.
struct RecordPieces {
    private var zone: (id: ZoneID, text: [UInt8])?
    private var author: (stamp: RecordStamp, text: [UInt8])?

    /// The member that Apple's answers always have.
    static let pluginFields = Array(#""pluginFields":{}"#.utf8)

    /// The members that say where a record is, and that it is there.
    mutating func place(_ zoneID: ZoneID, _ form: WireForm) -> [UInt8] {
        if let zone, zone.id == zoneID { return zone.text }
        let text = Self.members { writer in
            writer.key("deleted")
            writer.boolean(false)
            writer.key("zoneID")
            writer.zoneID(zoneID, form)
        }
        zone = (zoneID, text)
        return text
    }

    /// The members of a stamp that say who it was, and from where.
    mutating func author(of stamp: RecordStamp) -> [UInt8] {
        if let author, author.stamp.userRecordName == stamp.userRecordName, author.stamp.deviceID == stamp.deviceID {
            return author.text
        }
        let text = Self.members { writer in
            writer.key("userRecordName")
            writer.string(stamp.userRecordName)
            writer.key("deviceID")
            writer.string(stamp.deviceID)
        }
        author = (stamp, text)
        return text
    }

    private static func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return Array(writer.bytes.dropFirst().dropLast())
    }
}
