import Foundation
import StratusCloudKit

/// The zones of a database that are mirrored in a store.
struct MirroredZones: Sendable {
    /// The name of the zone of objects that are not shared.
    static let homeName = "com.apple.coredata.cloudkit.zone"
    private static let sharePrefix = "com.apple.coredata.cloudkit.share."

    let scope: CKDatabase.Scope

    /// The zone of new objects that are not related to shared ones; nil in the shared database, where each zone is
    /// somebody else's.
    var home: CKRecordZone.ID? {
        switch scope {
        case .private: CKRecordZone.ID(zoneName: Self.homeName)
        case .public: CKRecordZone.default().zoneID
        case .shared: nil
        @unknown default: nil
        }
    }

    /// Whether the name of a record in one zone may stand for a record in another one. In the zones of one person the
    /// names of records stay the same when objects are moved, so that relationships lead from one zone to another.
    var shareNames: Bool { scope == .private }

    /// Returns the ID of a zone as the tables have it; nil if the zone is not mirrored.
    func mirrored(_ zoneID: CKRecordZone.ID) -> CKRecordZone.ID? {
        switch scope {
        // The server may name the owner, who is the person.
        case .private: isMirrored(zoneID.zoneName) ? CKRecordZone.ID(zoneName: zoneID.zoneName) : nil
        case .shared: isMirrored(zoneID.zoneName) ? zoneID : nil
        case .public: home
        @unknown default: nil
        }
    }

    private func isMirrored(_ name: String) -> Bool { name == Self.homeName || name.hasPrefix(Self.sharePrefix) }

    /// Returns the ID of a new zone to be shared.
    static func newShareZone() -> CKRecordZone.ID { CKRecordZone.ID(zoneName: sharePrefix + UUID().uuidString) }
}
