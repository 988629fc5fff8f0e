import StratusCloudService
import StratusWorkers

/// The checks that are under way, by the names that whoever began them gave.
final class WatchedChecks: Sendable {
    private let checks = Lock<[String: CheckProgress]>([:])

    subscript(name: String) -> CheckProgress? { checks.withLock { $0[name] } }

    /// Runs a check whose progress can be asked for meanwhile, if it has a name and there is room.
    func watch<Result, Failure: Error>(
        _ name: String?, _ body: (CheckProgress) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let progress = CheckProgress()
        guard let name else { return try await body(progress) }
        checks.withLock { if $0.count < ServiceLimits.watchedChecks { $0[name] = progress } }
        defer { checks.withLock { if $0[name] === progress { $0[name] = nil } } }
        return try await body(progress)
    }
}
