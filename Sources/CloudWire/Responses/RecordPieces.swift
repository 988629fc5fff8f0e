import CloudModel
import Glibc

/// Parts of records that are mostly the same in all records of an answer, ready as JSON.
struct RecordPieces {
    private var zoneID: ZoneID?
    private var place: [UInt8] = []

    /// Writes the members that say where a record is, and that it is there. They are kept from the second record of a
    /// zone on: many answers have only one.
    mutating func writePlace(_ zoneID: ZoneID, _ form: WireForm, to writer: inout JSONWriter) {
        guard self.zoneID == zoneID else {
            self.zoneID = zoneID
            place = []
            return Self.writePlace(zoneID, form, to: &writer)
        }
        if place.isEmpty { place = Self.members { Self.writePlace(zoneID, form, to: &$0) } }
        writer.fragment(place)
    }

    private static func writePlace(_ zoneID: ZoneID, _ form: WireForm, to writer: inout JSONWriter) {
        writer.key("deleted")
        writer.boolean(false)
        writer.key("zoneID")
        writer.zoneID(zoneID, form)
    }

    private static func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return Array(writer.bytes.dropFirst().dropLast())
    }
}

extension RecordHead {
    /// Whether its stamps are equal, as those of all records are that were never changed.
    var isUnchanged: Bool {
        created.timestamp == modified.timestamp && created.userRecordName.isSame(modified.userRecordName)
            && created.deviceID.isSame(modified.deviceID)
    }
}

extension RecordHead.Text {
    /// Whether both have the same bytes.
    fileprivate func isSame(_ other: RecordHead.Text) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return left == right || memcmp(left, right, count) == 0
    }
}
