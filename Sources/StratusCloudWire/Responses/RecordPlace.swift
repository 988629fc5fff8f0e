import Glibc
import StratusCloudModel

/// The members of records that say where one is, and that it is there: mostly the same in all records of an answer.
struct RecordPlace {
    private var zoneID: ZoneID?
    /// Ready as JSON.
    private var members: [UInt8] = []

    /// Writes them. They are kept from the second record of a zone on: many answers have only one.
    mutating func write(_ zoneID: ZoneID, _ form: WireForm, to writer: inout JSONWriter) {
        guard self.zoneID == zoneID else {
            self.zoneID = zoneID
            members = []
            return Self.write(zoneID, form, to: &writer)
        }
        if members.isEmpty { members = Self.members(of: zoneID, form) }
        writer.fragment(members)
    }

    private static func write(_ zoneID: ZoneID, _ form: WireForm, to writer: inout JSONWriter) {
        writer.key("deleted")
        writer.boolean(false)
        writer.key("zoneID")
        writer.zoneID(zoneID, form)
    }

    private static func members(of zoneID: ZoneID, _ form: WireForm) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        write(zoneID, form, to: &writer)
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
