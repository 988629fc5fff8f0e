import StratusCloudModel
import StratusCloudWire

/// The calls as CloudKit Web Services.
extension CloudCall {
    /// The end of the path.
    var action: String {
        switch self {
        case .modifyRecords: "records/modify"
        case .lookupRecords: "records/lookup"
        case .queryRecords: "records/query"
        case .zoneChanges: "changes/zone"
        case .databaseChanges: "changes/database"
        case .publicChanges: "changes/records"
        case .listZones: "zones/list"
        case .lookupZones: "zones/lookup"
        case .modifyZones: "zones/modify"
        case .listSubscriptions: "subscriptions/list"
        case .lookupSubscriptions: "subscriptions/lookup"
        case .modifySubscriptions: "subscriptions/modify"
        case .currentUser: "users/caller"
        case .webAuthToken: "users/token"
        case .discoverUsers: "users/discover"
        case .discoverAllUsers: "users/lookup/contacts"
        case .uploadAssets: "assets/upload"
        case .resolveShares: "records/resolve"
        case .acceptShares: "records/accept"
        case .requestShareAccess: "records/requestAccess"
        case .lookupShares: "records/shares"
        case .updateShareKeys: "records/shareKeys"
        case .publishFile: "files/publish"
        case .publishedFiles: "files/published"
        case .unpublishFile: "files/unpublish"
        }
    }

    /// The body of the request.
    package func body() throws(CloudError) -> [UInt8] {
        let encoder = RequestEncoder()
        return switch self {
        case .modifyRecords(let request): try encoder.modifyRecords(request)
        case .lookupRecords(let request): try encoder.lookupRecords(request)
        case .queryRecords(let request): try encoder.queryRecords(request)
        case .zoneChanges(let requests): try encoder.zoneChanges(requests)
        case .databaseChanges(let request): try encoder.databaseChanges(request)
        case .publicChanges(let request): try encoder.publicChanges(request)
        case .listZones, .listSubscriptions, .currentUser, .discoverAllUsers, .publishedFiles: Array("{}".utf8)
        case .lookupZones(let zoneIDs): try encoder.lookupZones(zoneIDs)
        case .modifyZones(let operations): try encoder.modifyZones(operations)
        case .lookupSubscriptions(let names): try encoder.lookupSubscriptions(names)
        case .modifySubscriptions(let operations): try encoder.modifySubscriptions(operations)
        case .webAuthToken(let apiToken): try encoder.webAuthToken(forAPIToken: apiToken)
        case .discoverUsers(let lookups): try encoder.discoverUsers(lookups)
        case .uploadAssets(let request): try encoder.uploadAssets(request)
        case .resolveShares(let requests), .acceptShares(let requests): try encoder.shareLinks(requests)
        case .requestShareAccess(let shortGUIDs):
            try encoder.shareLinks(shortGUIDs.map { ShareLinkRequest(shortGUID: $0) })
        case .lookupShares(let request): try encoder.shares(request)
        case .updateShareKeys(let update): try encoder.shareKeysUpdate(update)
        case .publishFile(let request): try encoder.publishFile(request)
        case .unpublishFile(let id): try encoder.unpublishFile(id)
        }
    }

    /// Reads the body of the answer.
    func answer(_ body: [UInt8]) throws(CloudError) -> CloudAnswer {
        let decoder = ResponseDecoder(zoneID: zoneID)
        return switch self {
        case .modifyRecords, .lookupRecords: .records(try decoder.recordResults(body))
        case .queryRecords: .recordPage(try decoder.recordPage(body))
        case .zoneChanges: .zoneChanges(try decoder.zoneChanges(body))
        case .databaseChanges: .databaseChanges(try decoder.databaseChanges(body))
        case .publicChanges: .publicChanges(try decoder.recordChanges(body))
        case .listZones: .zones(try decoder.zones(body).map { .zone($0) })
        case .lookupZones, .modifyZones: .zones(try decoder.zoneResults(body))
        case .listSubscriptions: .subscriptions(try decoder.subscriptions(body).map { .subscription($0) })
        case .lookupSubscriptions, .modifySubscriptions: .subscriptions(try decoder.subscriptionResults(body))
        case .currentUser: .users([try decoder.user(body)])
        case .webAuthToken: .webAuthToken(try decoder.webAuthToken(body))
        case .discoverUsers: .users(try decoder.users(body))
        case .discoverAllUsers: .users(try decoder.contacts(body).users)
        case .uploadAssets: .uploadPlaces(try decoder.uploadPlaces(body))
        case .resolveShares, .acceptShares: .shareLinks(try decoder.shareLinkResults(body))
        case .requestShareAccess: .accessRequested
        case .lookupShares, .updateShareKeys: .shares(try decoder.shares(body))
        case .publishFile: .publications([try decoder.publication(body)])
        case .publishedFiles: .publications(try decoder.publications(body))
        case .unpublishFile: .publications([])
        }
    }
}
