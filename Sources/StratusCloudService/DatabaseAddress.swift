import StratusCloudModel
import StratusCloudStore

/// Which database, and which zone of it, a call is about: checked, and with the owner's name filled in.
struct DatabaseAddress: Sendable {
    let scope: DatabaseScope
    let partition: Partition
    /// The owner of all zones of the database, as answers name it; in the shared database the one of the zone.
    let ownerRecordName: String
    let zoneID: ZoneID
    /// Who sees of the partition only what is shared with them; nil for whoever sees all of it.
    let participant: String?

    /// How answers name the owner of the public database.
    static let publicOwner = "_defaultOwner"

    /// - Throws: `authenticationRequired` or `accessDenied` if the caller may not use the database, `badRequest` if the
    ///   zone belongs to somebody else, or in the shared database to the caller; `zoneNotFound` in the shared database for a
    ///   zone that nobody can share.
    init(_ scope: DatabaseScope, _ zoneID: ZoneID?, _ caller: Caller) throws(CloudError) {
        try Authorization.checkDatabase(scope, caller)
        let zoneID = zoneID ?? .default
        try Names.checkZoneName(zoneID.zoneName)
        self.scope = scope
        let owner = caller.userRecordName ?? Self.publicOwner
        switch scope {
        case .public:
            partition = .publicDatabase(of: caller.context)
            ownerRecordName = Self.publicOwner
        case .private:
            partition = .privateDatabase(of: owner, in: caller.context)
            ownerRecordName = owner
        case .shared:
            // Whether the owner has such a zone, and shares it with the caller, is found out when it is looked at.
            guard let sharer = zoneID.ownerRecordName, sharer != owner else {
                throw CloudError(.badRequest, "Only shared zones can be accessed in the shared DB")
            }
            guard !zoneID.isDefault, Names.isUserRecordName(sharer) else { throw CloudService.zoneNotFound(zoneID) }
            partition = .privateDatabase(of: sharer, in: caller.context)
            ownerRecordName = sharer
            participant = owner
            self.zoneID = ZoneID(zoneName: zoneID.zoneName, ownerRecordName: sharer)
            return
        }
        participant = nil
        if let named = zoneID.ownerRecordName, named != owner, named != ownerRecordName {
            let database = scope == .public ? "PublicDB" : "PrivateDB"
            throw CloudError(.badRequest, "\(database) can't be used to access another user's zone")
        }
        self.zoneID = ZoneID(zoneName: zoneID.zoneName, ownerRecordName: ownerRecordName)
    }

    /// The database in whose partition everything lies.
    var storedScope: DatabaseScope { scope == .shared ? .private : scope }

    /// Another zone of the same database.
    func zoneID(named name: String) -> ZoneID { ZoneID(zoneName: name, ownerRecordName: ownerRecordName) }
}
