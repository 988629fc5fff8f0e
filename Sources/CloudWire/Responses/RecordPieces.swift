import CloudModel
import Glibc

/// Parts of records that are mostly the same in all records of an answer, ready as JSON.
struct RecordPieces {
    private var zoneID: ZoneID?
    private var user: [UInt8] = []
    private var device: [UInt8] = []
    /// The members that say where a record is, and that it is there; see ``knows(_:)``.
    private(set) var place: [UInt8] = []
    /// The members of a stamp that say who it was, and from where; see ``learnAuthor(of:)``.
    private(set) var author: [UInt8] = []

    /// Whether ``place`` is that of a zone.
    func knows(_ zoneID: ZoneID) -> Bool { self.zoneID == zoneID }

    /// Makes ``place`` that of a zone.
    mutating func learnPlace(_ zoneID: ZoneID, _ form: WireForm) {
        place = Self.members { writer in
            writer.key("deleted")
            writer.boolean(false)
            writer.key("zoneID")
            writer.zoneID(zoneID, form)
        }
        self.zoneID = zoneID
    }

    /// Makes ``author`` that of a stamp, if it is not.
    mutating func learnAuthor(of stamp: RecordHead.Stamp) {
        if !author.isEmpty, Self.isSame(user, stamp.userRecordName), Self.isSame(device, stamp.deviceID) { return }
        author = Self.members { writer in
            writer.key("userRecordName")
            writer.string(utf8: stamp.userRecordName)
            writer.key("deviceID")
            writer.string(utf8: stamp.deviceID)
        }
        (user, device) = (Array(stamp.userRecordName), Array(stamp.deviceID))
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
