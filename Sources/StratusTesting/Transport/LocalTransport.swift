import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusCloudService
import StratusServiceTransport

/// A device's way to a container of a local cloud: the transport into a service of the process, with what a test wants to
/// see and to go wrong on the way.
struct LocalTransport: CloudTransport {
    let core: CloudCore
    let device: DeviceName
    /// Who is signed in; nil for nobody.
    let account: String?
    let containerIdentifier: String
    /// What the device is told of the container.
    let inbox: Inbox

    var uptime: Duration { core.clock.now.elapsed }

    func pause(for duration: Duration) async throws { try await core.clock.sleep(for: duration) }

    func pause(until moment: Duration) async throws {
        try await core.clock.sleep(until: TestClock.Instant(elapsed: moment))
    }

    func chance() -> Double { core.chance() }

    func listen(_ receive: @escaping @Sendable (PushReport) -> Void) async throws(CloudTransportError) {
        guard let account else { return }
        try await inbox.listen(as: account, receive)
    }

    var accountStatus: CKAccountStatus? { core.people.state(of: device).status }

    var isSignedIn: Bool {
        guard account != nil else { return false }
        return switch accountStatus {
        case nil, .available, .temporarilyUnavailable: true
        case .couldNotDetermine, .restricted, .noAccount: false
        }
    }

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        guard !Task.isCancelled else { throw .cancelled }
        let visit = try await visit()
        guard let kinds = request.call.kinds else { return try await visit.service.send(request) }
        let recordIDs = request.call.recordIDs
        let encounter = core.faults.meet(kinds, of: account, on: device, recordIDs)
        if kinds == .fetchUser { return try await answer(request, visit, encounter) }
        let entry = core.log.open(
            kinds, of: account, on: device, containerIdentifier, request.scope, recordIDs, request.call.zoneIDs,
            request.call.subscriptionIDs)
        do throws(CloudTransportError) {
            let answer = try await answer(request, visit, encounter)
            core.log.close(entry, answer.outcome(to: request.call))
            return answer
        } catch {
            core.log.close(entry, failure(error, isMutating: request.call.isMutating))
            throw error
        }
    }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset {
        try await transfer(.uploadAssets) { visit throws(CloudTransportError) in
            try await visit.service.upload(file, to: address, progress: progress)
        }
    }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        core.keep(file)
        try await transfer(.downloadAssets) { visit throws(CloudTransportError) in
            try await visit.service.download(from: address, size: size, to: file, progress: progress)
        }
    }

    func continueDownload(
        from address: String, at offset: Int64, size: Int64, to file: LocalFile,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        core.keep(file)
        try await transfer(.downloadAssets) { visit throws(CloudTransportError) in
            try await visit.service.continueDownload(
                from: address, at: offset, size: size, to: file, progress: progress)
        }
    }

    // MARK: - The way

    /// A caller's entrance to the service.
    struct Visit {
        let container: ContainerIdentifier
        let service: ServiceTransport
    }

    private func visit() async throws(CloudTransportError) -> Visit {
        guard let container = ContainerIdentifier(containerIdentifier) else {
            throw .noContainer(containerIdentifier)
        }
        do throws(CloudError) { try await core.prepare(container) } catch { throw .refused(error, requestUUID: nil) }
        let user = isSignedIn ? account.flatMap { core.people.userName(of: $0, in: container) } : nil
        let caller = Caller(
            context: core.context(container), principal: user.map { .user($0) } ?? .anonymous,
            clientID: device.clientID)
        return Visit(container: container, service: ServiceTransport(service: core.service, caller: caller))
    }

    private func answer(
        _ request: CloudRequest, _ visit: Visit, _ encounter: Encounter
    ) async throws(CloudTransportError) -> CloudAnswer {
        try await wait(encounter.latency, atMost: request.timeout)
        if let failure = encounter.failure { throw failure }
        let answer = try await carryOut(request, visit, encounter)
        if let failure = encounter.lateFailure { throw failure }
        return answer
    }

    private func transfer<Value>(
        _ kind: LocalCloud.Calls, _ body: (Visit) async throws(CloudTransportError) -> Value
    ) async throws(CloudTransportError) -> Value {
        let visit = try await visit()
        let encounter = core.faults.meet(kind, of: account, on: device, [])
        let entry = core.log.open(kind, of: account, on: device, containerIdentifier, nil, [], [])
        do throws(CloudTransportError) {
            try await wait(encounter.latency, atMost: nil)
            if let failure = encounter.failure { throw failure }
            let value = try await body(visit)
            if let failure = encounter.lateFailure { throw failure }
            core.log.close(entry, .success)
            return value
        } catch {
            core.log.close(entry, failure(error, isMutating: false))
            throw error
        }
    }

    private func wait(_ latency: Duration, atMost patience: Duration?) async throws(CloudTransportError) {
        guard latency > .zero else { return }
        let isTooLong = patience.map { latency > $0 } ?? false
        do {
            try await core.clock.sleep(for: min(latency, patience ?? latency))
        } catch {
            throw .cancelled
        }
        if isTooLong { throw .failed("there was no answer in time") }
    }

    private func failure(_ error: CloudTransportError, isMutating: Bool) -> LocalCloud.Request.Outcome {
        .failure(CKError(_nsError: core.cloudKitError(error, isMutating: isMutating)))
    }
}
