import Foundation
import StratusCloudModel

/// Translates names between CloudKit, where the current user is `__defaultOwner__`, and the cloud, which has a name for
/// everybody.
package struct IdentityNames: Hashable, Sendable {
    /// The current user's name; nil where nobody is signed in.
    var currentUser: String?
    /// How links to shares are written.
    var shareLinks = ShareLinks()

    /// Of somebody who is signed in under this name; nil for nobody.
    package init(currentUser: String? = nil) { self.currentUser = currentUser }

    package func zoneID(_ zoneID: CKRecordZone.ID) -> ZoneID {
        ZoneID(
            zoneName: zoneID.zoneName,
            ownerRecordName: zoneID.ownerName == CKCurrentUserDefaultName ? nil : zoneID.ownerName)
    }

    package func zoneID(_ zoneID: ZoneID) -> CKRecordZone.ID {
        CKRecordZone.ID(zoneName: zoneID.zoneName, ownerName: userName(zoneID.ownerRecordName ?? ""))
    }

    /// The identifier of a user's record.
    func userID(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: userName(name)) }

    private func userName(_ name: String) -> String {
        // The public database's zones have no owner.
        let isCurrent = name == currentUser || name.isEmpty || name == "_defaultOwner"
        return isCurrent ? CKCurrentUserDefaultName : name
    }
}
