import Foundation
import StratusCloudModel

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The owner name that stands for the current user.
public let CKCurrentUserDefaultName = "__defaultOwner__"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKCurrentUserDefaultName``.
public let CKOwnerDefaultName = CKCurrentUserDefaultName
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the zone that every database has.
public let CKRecordZoneDefaultName = ZoneID.defaultZoneName

/// Names a zone: its name and its owner. Two owners may use the same name.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKRecordZone/ID``.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name of the zone that every database has.
    public static let defaultZoneName = CKRecordZoneDefaultName
    /// The default zone of the current user.
    public static let `default` = CKRecordZoneID()

    /// The name; at most 255 ASCII characters, and not beginning with `_` for zones that apps make.
    public let zoneName: String
    /// The owner's user record name; ``CKCurrentUserDefaultName`` for the current user.
    public let ownerName: String

    /// Names a zone; by default the default zone of the current user.
    public init(zoneName: String = CKRecordZoneDefaultName, ownerName: String = CKCurrentUserDefaultName) {
        self.zoneName = zoneName
        self.ownerName = ownerName
    }

    /// Names a zone whose owner may be left open, which means the current user.
    @_disfavoredOverload
    public convenience init(zoneName: String, ownerName: String?) {
        self.init(zoneName: zoneName, ownerName: ownerName ?? CKCurrentUserDefaultName)
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let name = coder.decoded(NSString.self, "ZoneName"),
            let owner = coder.decoded(NSString.self, "ownerName")
        else { return nil }
        zoneName = name as String
        ownerName = owner as String
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(zoneName as NSString, forKey: "ZoneName")
        coder.encode(ownerName as NSString, forKey: "ownerName")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether name and owner are equal, letter by letter.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return other === self || (other.zoneName == zoneName && other.ownerName == ownerName)
    }

    /// Of name and owner.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    /// For logs.
    public override var description: String { "<CKRecordZoneID: zoneName=\(zoneName), ownerName=\(ownerName)>" }

    /// Whether this is the zone that cannot be made or deleted, has no change feed and no atomic batches.
    var isDefault: Bool { zoneName == CKRecordZoneDefaultName }
}

extension CKRecordZone {
    /// Names a zone.
    public typealias ID = CKRecordZoneID
}
