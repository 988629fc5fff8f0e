import StratusCloudStore
import StratusWorkers

/// Whether the server should be sent requests.
final class Readiness: Sendable {
    enum Phase: Sendable {
        case starting, serving, stopping
    }

    /// The answer to `/health/ready`.
    enum Answer: String, Sendable {
        case ready
        case starting
        case stopping
        case storeFailed = "store failed"
    }

    /// Every store has it: containers and accounts lie there.
    private static let probed = Partition("directory")

    private let phase = Lock(Phase.starting)
    private let store: any CloudStore

    init(store: any CloudStore) { self.store = store }

    func enter(_ next: Phase) { phase.withLock { $0 = next } }

    /// Asks the store for a transaction that writes nothing, which one that failed or is closed refuses.
    func answer() async -> Answer {
        switch phase.withLock({ $0 }) {
        case .starting: return .starting
        case .stopping: return .stopping
        case .serving: break
        }
        do {
            _ = try await store.write(Self.probed) { _ in true }
            return .ready
        } catch {
            return .storeFailed
        }
    }
}
