import StratusCloudKit
import StratusCloudModel
import StratusCloudService

/// Reaches a cloud in the same process: straight into its service, without HTTP and JSON.
public struct ServiceTransport: CloudTransport {
    let service: CloudService
    let caller: Caller

    /// A transport for whoever is named, into a service.
    public init(service: CloudService, caller: Caller) {
        self.service = service
        var caller = caller
        caller.isNative = true
        self.caller = caller
    }

    /// Whether the caller is a person.
    public var isSignedIn: Bool { caller.userRecordName != nil }

    /// Calls the service.
    public func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        guard !Task.isCancelled else { throw .cancelled }
        do throws(CloudError) {
            return try await answer(request.call, in: request.scope)
        } catch {
            throw .refused(error, requestUUID: nil)
        }
    }

    private func answer(_ call: CloudCall, in scope: DatabaseScope) async throws(CloudError) -> CloudAnswer {
        switch call {
        case .modifyRecords(let request):
            return .records(shown(try await service.modifyRecords(request, in: scope, as: caller), scope))
        case .lookupRecords(let request):
            return .records(shown(try await service.lookupRecords(request, in: scope, as: caller), scope))
        case .queryRecords(let request):
            var page = try await service.queryRecords(request, in: scope, as: caller)
            page.records = page.records.map { shown($0, scope) }
            return .recordPage(page)
        case .zoneChanges(let requests):
            return .zoneChanges(
                try await service.zoneChanges(requests, in: scope, as: caller).map { shown($0, scope) })
        case .publicChanges(let request):
            return .publicChanges(shown(try await service.publicChanges(request, in: scope, as: caller), scope))
        case .databaseChanges(let request):
            return .databaseChanges(try await service.databaseChanges(request, in: scope, as: caller))
        case .listZones: return .zones(try await service.listZones(in: scope, as: caller).map { .zone($0) })
        case .lookupZones(let zoneIDs):
            return .zones(try await service.lookupZones(zoneIDs, in: scope, as: caller))
        case .modifyZones(let operations):
            return .zones(try await service.modifyZones(operations, in: scope, as: caller))
        case .listSubscriptions:
            let subscriptions = try await service.listSubscriptions(in: scope, as: caller)
            return .subscriptions(subscriptions.map { .subscription($0) })
        case .lookupSubscriptions(let names):
            return .subscriptions(try await service.lookupSubscriptions(names, in: scope, as: caller))
        case .modifySubscriptions(let operations):
            return .subscriptions(try await service.modifySubscriptions(operations, in: scope, as: caller))
        case .currentUser: return .users([try await service.currentUser(as: caller)])
        case .webAuthToken(let apiToken):
            return .webAuthToken(try await service.webAuthToken(forAPIToken: apiToken, as: caller))
        case .discoverUsers(let lookups): return .users(try await service.discoverUsers(lookups, as: caller))
        case .discoverAllUsers: return .users(try await service.discoverAllUsers(as: caller))
        case .uploadAssets(let request):
            return .uploadPlaces(
                try await service.makeUploadPlaces(request, in: scope, as: caller, addressing: { $0 }))
        case .resolveShares(let requests): return .shareLinks(try await service.resolveShareLinks(requests, as: caller))
        case .acceptShares(let requests): return .shareLinks(try await service.acceptShareLinks(requests, as: caller))
        case .requestShareAccess(let shortGUIDs):
            try await service.requestShareAccess(shortGUIDs, as: caller)
            return .accessRequested
        case .lookupShares(let request): return .shares(try await service.shares(request, in: scope, as: caller))
        case .updateShareKeys(let update):
            return .shares(try await service.updateShareKeys(update, in: scope, as: caller))
        case .publishFile(let request):
            var file = try await service.publishFile(
                named: request.recordName, lifetime: request.lifetime, as: caller)
            // No server answers at it; programs in the process hand the token to the service.
            file.url = file.token.map { "https://cloud.invalid/published/\($0)/" }
            return .publications([file])
        case .publishedFiles: return .publications(try await service.publishedFiles(as: caller))
        case .unpublishFile(let id):
            try await service.unpublishFile(id: id, as: caller)
            return .publications([])
        }
    }
}
