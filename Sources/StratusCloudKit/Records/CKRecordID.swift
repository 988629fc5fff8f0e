import Foundation

/// Names a record: its name, and the zone in which the name is unique.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKRecord/ID``.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name; ASCII, at most 255 characters, and not beginning with `_` for records that apps make.
    public let recordName: String
    /// The zone.
    public let zoneID: CKRecordZone.ID

    /// Names a record; by default a new one of the default zone.
    public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let name = coder.decoded(NSString.self, "RecordName"),
            let zoneID = coder.decoded(CKRecordZoneID.self, "ZoneID")
        else { return nil }
        recordName = name as String
        self.zoneID = zoneID
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordName as NSString, forKey: "RecordName")
        coder.encode(zoneID, forKey: "ZoneID")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether name and zone are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return other === self || (other.recordName == recordName && other.zoneID == zoneID)
    }

    /// Of name and zone.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordName)
        hasher.combine(zoneID.hash)
        return hasher.finalize()
    }

    /// For logs.
    public override var description: String {
        "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID.zoneName):\(zoneID.ownerName)>"
    }
}

extension CKRecord {
    /// Names a record.
    public typealias ID = CKRecordID
}
