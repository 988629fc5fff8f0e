import StratusCloudKit
import StratusCloudModel
import StratusServiceTransport

/// What the service does not know: records that are to fail, and tokens that have expired.
extension LocalTransport {
    func carryOut(
        _ request: CloudRequest, _ visit: Visit, _ encounter: Encounter
    ) async throws(CloudTransportError) -> CloudAnswer {
        switch request.call {
        case .modifyRecords(let modify):
            let failing = FailingRecords(encounter.recordErrors, among: modify.operations)
            return try await failing.modify(modify, request, by: visit.service)
        case .lookupRecords(let lookup):
            let answer = try await visit.service.send(request)
            return FailingRecords(encounter.recordErrors, among: lookup.items).replace(in: answer)
        case .zoneChanges(let zones): return .zoneChanges(try await zoneChanges(zones, request, visit))
        case .databaseChanges(let changes):
            return .databaseChanges(try await databaseChanges(changes, request, visit))
        case .publicChanges(let changes): return .publicChanges(try await publicChanges(changes, request, visit))
        default: return try await visit.service.send(request)
        }
    }

    private func zoneChanges(
        _ zones: [ZoneChangesRequest], _ request: CloudRequest, _ visit: Visit
    ) async throws(CloudTransportError) -> [ZoneChangesResult] {
        var results: [ZoneChangesResult?] = []
        var asked: [ZoneChangesRequest] = []
        for var zone in zones {
            do throws(CloudError) {
                zone.syncToken = try core.bare(zone.syncToken)
                zone.resultsLimit = core.pageLimit(zone.resultsLimit)
                asked.append(zone)
                results.append(nil)
            } catch {
                results.append(.failed(zone.zoneID, error))
            }
        }
        var answers: [ZoneChangesResult] = []
        if !asked.isEmpty {
            let inner = CloudRequest(.zoneChanges(asked), in: request.scope, timeout: request.timeout)
            if case .zoneChanges(let found) = try await visit.service.send(inner) { answers = found }
        }
        var rest = answers.makeIterator()
        return results.compactMap { known in
            guard let result = known ?? rest.next() else { return nil }
            guard case .page(let zoneID, var page) = result else { return result }
            page.syncToken = core.worn(page.syncToken)
            return .page(zoneID, page)
        }
    }

    private func databaseChanges(
        _ changes: DatabaseChangesRequest, _ request: CloudRequest, _ visit: Visit
    ) async throws(CloudTransportError) -> DatabaseChangesPage {
        var changes = changes
        do throws(CloudError) {
            changes.syncToken = try core.bare(changes.syncToken)
            changes.resultsLimit = core.pageLimit(changes.resultsLimit)
        } catch {
            throw .refused(error, requestUUID: nil)
        }
        let inner = CloudRequest(.databaseChanges(changes), in: request.scope, timeout: request.timeout)
        guard case .databaseChanges(var page) = try await visit.service.send(inner) else {
            throw .failed("the answer is one to another question")
        }
        page.syncToken = core.worn(page.syncToken)
        return page
    }

    private func publicChanges(
        _ changes: PublicChangesRequest, _ request: CloudRequest, _ visit: Visit
    ) async throws(CloudTransportError) -> ZoneChangesPage {
        var changes = changes
        do throws(CloudError) {
            changes.syncToken = try core.bare(changes.syncToken)
            changes.resultsLimit = core.pageLimit(changes.resultsLimit)
        } catch {
            throw .refused(error, requestUUID: nil)
        }
        let inner = CloudRequest(.publicChanges(changes), in: request.scope, timeout: request.timeout)
        guard case .publicChanges(var page) = try await visit.service.send(inner) else {
            throw .failed("the answer is one to another question")
        }
        page.syncToken = core.worn(page.syncToken)
        return page
    }
}
