import Foundation
import StratusWorkers

/// The agent of a container as other programs reach it: each call is a message to it, and one back.
package struct DriveConnection: DriveControls {
    private let address: DriveAddress

    package init(_ container: UbiquityContainer) { self.init(at: DriveAddress(container)) }

    init(at address: DriveAddress) { self.address = address }

    package func status() async throws(DriveError) -> DriveStatus {
        guard case .status(let status) = try await ask(.status) else { throw Self.otherAnswer }
        return status
    }

    package func items(in folder: String) async throws(DriveError) -> [DriveItem] {
        try await items(.items(folder: folder))
    }

    package func download(_ path: String) async throws(DriveError) { _ = try await ask(.download(path: path)) }

    package func startDownload(_ path: String) async throws(DriveError) {
        _ = try await ask(.startDownload(path: path))
    }

    package func evict(_ path: String) async throws(DriveError) { _ = try await ask(.evict(path: path)) }

    package func setPinned(_ isPinned: Bool, _ path: String) async throws(DriveError) {
        _ = try await ask(.setPinned(isPinned, path: path))
    }

    package func setSelected(_ isSelected: Bool, _ path: String) async throws(DriveError) {
        _ = try await ask(.setSelected(isSelected, path: path))
    }

    package func versions(of path: String) async throws(DriveError) -> [DriveVersion] {
        guard case .versions(let versions) = try await ask(.versions(path: path)) else { throw Self.otherAnswer }
        return versions
    }

    package func restore(_ path: String, version: String) async throws(DriveError) {
        _ = try await ask(.restore(path: path, version: version))
    }

    package func recentlyDeleted() async throws(DriveError) -> [DriveItem] { try await items(.recentlyDeleted) }

    package func restoreDeleted(_ recordName: String) async throws(DriveError) -> String {
        guard case .path(let path) = try await ask(.restoreDeleted(recordName: recordName)) else {
            throw Self.otherAnswer
        }
        return path
    }

    package func conflicts() async throws(DriveError) -> [DriveItem] { try await items(.conflicts) }

    package func resolve(_ path: String, keeping version: String) async throws(DriveError) {
        _ = try await ask(.resolve(path: path, version: version))
    }

    package func settle() async throws(DriveError) { _ = try await ask(.settle) }

    package func record(of path: String) async throws(DriveError) -> DriveRecord {
        guard case .record(let record) = try await ask(.record(path: path)) else { throw Self.otherAnswer }
        return record
    }

    private func items(_ request: DriveRequest) async throws(DriveError) -> [DriveItem] {
        guard case .items(let items) = try await ask(request) else { throw Self.otherAnswer }
        return items
    }

    // MARK: - Messages

    private static var otherAnswer: DriveError {
        DriveError(.failed, "the agent's answer is not one to the request; it may be of another version")
    }

    /// The agent's answer. Cancelling the task ends the connection; the agent may finish what it has begun.
    private func ask(_ request: DriveRequest) async throws(DriveError) -> DriveAnswer {
        let call = DriveCall()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: answer(to: request, call)) }
            }
        } onCancel: {
            call.cancel()
        }
        return try result.get()
    }

    /// The agent's answer. Blocks until it is here, or the call is cancelled.
    func answer(to request: DriveRequest, _ call: DriveCall = DriveCall()) -> Result<DriveAnswer, DriveError> {
        guard let message = try? JSONEncoder().encode(request), message.count <= DriveLimits.request else {
            return .failure(DriveError(.invalidName, "the request has more than \(DriveLimits.request) bytes"))
        }
        guard let socket = LocalSocket(connectingTo: address.socket) else {
            return .failure(
                DriveError(
                    .noAgent, "no agent synchronizes '\(address.container)'; 'stratus drive run' starts one"))
        }
        guard call.begin(socket) else { return .failure(DriveCall.cancelled) }
        socket.send(message, limit: DriveLimits.request)
        guard let bytes = socket.receive(limit: DriveLimits.answer) else {
            return .failure(
                call.isCancelled
                    ? DriveCall.cancelled
                    : DriveError(.noAgent, "the agent of '\(address.container)' ended before it answered"))
        }
        switch try? JSONDecoder().decode(DriveAnswer.self, from: bytes) {
        case .failed(let error): return .failure(error)
        case let answer?: return .success(answer)
        case nil: return .failure(Self.otherAnswer)
        }
    }
}

/// A request on its way, which may be given up.
final class DriveCall: Sendable {
    static var cancelled: DriveError { DriveError(.cancelled, "the request was cancelled") }

    private let state = Lock<(socket: LocalSocket?, isCancelled: Bool)>((nil, false))

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Returns: Whether the request is still wanted.
    fileprivate func begin(_ socket: LocalSocket) -> Bool {
        state.withLock { state in
            state.socket = socket
            return !state.isCancelled
        }
    }

    func cancel() {
        let socket = state.withLock { state in
            state.isCancelled = true
            return state.socket
        }
        socket?.shutDown()
    }
}
