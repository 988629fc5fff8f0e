import StratusCloudModel
import StratusWorkers

/// Lets one request at a time bring bytes for an upload: the latest. Whoever sends again has given up the request
/// before, even if the server does not know yet that nothing more comes there.
final class UploadTurns: Sendable {
    private struct State {
        var latest: [AssetUploadID: UploadTurn] = [:]
        var count: UInt64 = 0
    }

    private let state = Lock(State())

    /// Runs `receive` when the request before has put away what came. Cancels it as soon as a later one takes its turn.
    /// - Throws: what `receive` throws; `conflict` if a later request has the turn before it begins.
    func take<Value: Sendable>(
        _ upload: AssetUploadID, _ receive: @escaping @Sendable () async throws(CloudError) -> Value
    ) async throws(CloudError) -> Value {
        let (turn, former) = begin(upload)
        defer { end(turn, of: upload) }
        if let former { await former.giveUp() }
        guard isLatest(turn, of: upload) else {
            throw CloudError(.conflict, "a later request has taken over this upload")
        }
        return try await turn.run(receive).get()
    }

    private func begin(_ upload: AssetUploadID) -> (turn: UploadTurn, former: UploadTurn?) {
        state.withLock { state in
            state.count += 1
            let turn = UploadTurn(number: state.count)
            return (turn, state.latest.updateValue(turn, forKey: upload))
        }
    }

    private func isLatest(_ turn: UploadTurn, of upload: AssetUploadID) -> Bool {
        state.withLock { $0.latest[upload]?.number == turn.number }
    }

    private func end(_ turn: UploadTurn, of upload: AssetUploadID) {
        state.withLock { if $0.latest[upload]?.number == turn.number { $0.latest[upload] = nil } }
        turn.ended.continuation.finish()
    }
}

/// The time in which one request brings bytes.
private struct UploadTurn: Sendable {
    /// Happens once: when the stream is finished. One task waits for it.
    typealias Event = (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    let number: UInt64
    let givenUp: Event = AsyncStream.makeStream()
    let ended: Event = AsyncStream.makeStream()

    /// Ends the turn, and returns when it has ended.
    func giveUp() async {
        givenUp.continuation.finish()
        for await _ in ended.stream {}
    }

    func run<Value: Sendable>(
        _ receive: @escaping @Sendable () async throws(CloudError) -> Value
    ) async -> Result<Value, CloudError> {
        await withTaskGroup(of: Result<Value, CloudError>?.self) { group in
            group.addTask { [givenUp] in
                for await _ in givenUp.stream {}
                return nil
            }
            group.addTask {
                do throws(CloudError) { return .success(try await receive()) } catch { return .failure(error) }
            }
            var outcome: Result<Value, CloudError>?
            for await ended in group {
                outcome = outcome ?? ended
                group.cancelAll()
            }
            return outcome ?? .failure(CloudError(.internalError, "an upload ended without an outcome"))
        }
    }
}
