import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// Remembers what was asked and what became of it.
final class RequestLog: Sendable {
    private struct State {
        var requests: [LocalCloud.Request] = []
        var count = 0
    }

    private let clock: TestClock
    private let state = Lock(State())

    init(clock: TestClock) { self.clock = clock }

    var requests: [LocalCloud.Request] { state.withLock { $0.requests } }

    func forget() { state.withLock { $0.requests = [] } }

    /// Notes a request; ``close(_:_:)`` wants the number.
    func open(
        _ calls: LocalCloud.Calls, of account: String?, on device: DeviceName, _ containerIdentifier: String,
        _ scope: DatabaseScope?, _ recordIDs: [CKRecord.ID], _ zoneIDs: [CKRecordZone.ID],
        _ subscriptionIDs: [String] = []
    ) -> Int {
        let date = clock.date
        return state.withLock { state in
            state.count += 1
            if state.requests.count >= LocalCloud.requestsKept {
                state.requests.removeFirst(LocalCloud.requestsKept / 10)
            }
            state.requests.append(
                LocalCloud.Request(
                    id: state.count, account: account, device: device.name,
                    containerIdentifier: containerIdentifier, databaseScope: scope?.scope, calls: calls,
                    recordIDs: recordIDs, zoneIDs: zoneIDs, subscriptionIDs: subscriptionIDs, date: date))
            return state.count
        }
    }

    func close(_ number: Int, _ outcome: LocalCloud.Request.Outcome) {
        state.withLock { state in
            guard let index = state.requests.lastIndex(where: { $0.id == number }) else { return }
            state.requests[index].outcome = outcome
        }
    }
}

extension CloudAnswer {
    /// What the log says of an answer.
    func outcome(to call: CloudCall) -> LocalCloud.Request.Outcome {
        var errors: [LocalCloud.ItemID: CKError] = [:]
        switch self {
        case .records(let results):
            for (recordID, result) in zip(call.recordIDs, results) {
                if case .failed(_, let error) = result { errors[.record(recordID)] = CKError(error) }
            }
        case .zones(let results):
            for case .failed(let zoneID, let error) in results { errors[.zone(zoneID.recordZoneID)] = CKError(error) }
        case .zoneChanges(let results):
            for case .failed(let zoneID, let error) in results { errors[.zone(zoneID.recordZoneID)] = CKError(error) }
        case .subscriptions(let results):
            for case .failed(let name, let error) in results {
                errors[.subscription(name ?? "")] = CKError(error)
            }
        case .shareLinks(let results):
            for case .failed(let shortGUID, let error) in results { errors[.shareLink(shortGUID)] = CKError(error) }
        case .accessRequested, .recordPage, .databaseChanges, .publicChanges, .users, .webAuthToken, .uploadPlaces,
            .shares, .publications:
            break
        }
        return errors.isEmpty ? .success : .partialFailure(errors)
    }
}

extension CKError {
    fileprivate init(_ error: CloudError) { self.init(_nsError: .cloudKit(error)) }
}

extension DatabaseScope {
    fileprivate var scope: CKDatabase.Scope {
        switch self {
        case .public: .public
        case .private: .private
        case .shared: .shared
        }
    }
}
