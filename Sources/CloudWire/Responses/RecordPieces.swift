import CloudModel
import Glibc

/// Parts of records that are mostly the same in all records of an answer, ready as JSON.
struct RecordPieces {
    private var zone: (id: ZoneID, text: [UInt8])?
    private var author: (user: [UInt8], device: [UInt8], text: [UInt8])?

    /// The members that say where a record is, and that it is there.
    mutating func place(_ zoneID: ZoneID, _ form: @autoclosure () -> WireForm) -> [UInt8] {
        if let zone, zone.id == zoneID { return zone.text }
        let text = Self.members { writer in
            writer.key("deleted")
            writer.boolean(false)
            writer.key("zoneID")
            writer.zoneID(zoneID, form())
        }
        zone = (zoneID, text)
        return text
    }

    /// The members of a stamp that say who it was, and from where.
    mutating func author(of stamp: RecordHead.Stamp) -> [UInt8] {
        if let author, Self.isSame(author.user, stamp.userRecordName), Self.isSame(author.device, stamp.deviceID) {
            return author.text
        }
        let text = Self.members { writer in
            writer.key("userRecordName")
            writer.string(utf8: stamp.userRecordName)
            writer.key("deviceID")
            writer.string(utf8: stamp.deviceID)
        }
        author = (Array(stamp.userRecordName), Array(stamp.deviceID), text)
        return text
    }

    private static func isSame(_ known: [UInt8], _ text: RecordHead.Text) -> Bool {
        guard known.count == text.count else { return false }
        return known.withUnsafeBufferPointer { known in
            guard let left = known.baseAddress, let right = text.baseAddress else { return true }
            return memcmp(left, right, known.count) == 0
        }
    }

    private static func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return Array(writer.bytes.dropFirst().dropLast())
    }
}
