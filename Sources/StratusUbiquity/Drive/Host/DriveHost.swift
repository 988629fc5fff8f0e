import Foundation
import Glibc
import StratusWorkers

/// Synchronizes containers in this process while no other process does.
///
/// The first program that uses the files of a container is its agent. The others wait for its lock, which the system
/// hands on when its holder ends, however that ends. `stratus drive run` goes before all of them.
final class DriveHost: Sendable {
    /// The one of this process.
    static let shared = DriveHost()

    private let candidates = Lock<[UbiquityContainer: DriveCandidate]>([:])

    /// Whether programs synchronize: not with `STRATUS_DRIVE_AGENT=off`.
    private static var isEnabled: Bool { UbiquityEnvironment.variables["STRATUS_DRIVE_AGENT"] != "off" }

    /// Lets a container be synchronized. Returns at once.
    func need(_ container: UbiquityContainer) { _ = candidate(for: container) }

    private func candidate(for container: UbiquityContainer) -> DriveCandidate? {
        guard Self.isEnabled else { return nil }
        let (candidate, isNew) = candidates.withLock { candidates in
            if let known = candidates[container], !known.hasEnded { return (known, false) }
            let new = DriveCandidate(container)
            candidates[container] = new
            return (new, true)
        }
        guard isNew else { return candidate }
        UbiquityIdentity.shared.watch()
        // Of its own, as it waits for a lock most of the time.
        Thread.detachNewThread { [self] in
            candidate.run()
            candidates.withLock { if $0[container] === candidate { $0[container] = nil } }
        }
        return candidate
    }

    /// Ends the synchronization of containers of other people than the one who is signed in.
    func accountChanged(to account: UbiquityAccount?) {
        for (container, candidate) in candidates.withLock({ $0 }) where container.accountKey != account?.key {
            candidate.end()
        }
    }

    /// The answer of a container's agent, which is started if need be. Blocks.
    func answer(
        to request: DriveRequest, of container: UbiquityContainer, _ call: DriveCall = DriveCall()
    ) -> Result<DriveAnswer, DriveError> {
        let connection = DriveConnection(container)
        let candidate = candidate(for: container)
        for attempt in 0... {
            let result = connection.answer(to: request, call)
            guard case .failure(let error) = result, error.code == .noAgent, let candidate,
                attempt < DriveLimits.startingAttempts
            else { return result }
            // This process, or the one that was before it, begins to listen.
            candidate.waitUntilDecided()
            guard !candidate.hasEnded, !call.isCancelled else { return result }
            if attempt > 0 { usleep(DriveLimits.announcementPause) }
        }
        return .failure(DriveCall.cancelled)
    }
}
