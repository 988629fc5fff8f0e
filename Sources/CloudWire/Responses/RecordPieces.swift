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
        let isKnown =
            user.withUnsafeBufferPointer { stamp.userRecordName.isSame($0) }
            && device.withUnsafeBufferPointer { stamp.deviceID.isSame($0) }
        if !author.isEmpty, isKnown { return }
        author = Self.members { writer in
            writer.key("userRecordName")
            writer.string(utf8: stamp.userRecordName)
            writer.key("deviceID")
            writer.string(utf8: stamp.deviceID)
        }
        (user, device) = (Array(stamp.userRecordName), Array(stamp.deviceID))
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
