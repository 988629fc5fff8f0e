import Foundation
import StratusCloudModel

/// Whether, and when, a request that failed is sent again. Pure: the clock is the caller's.
struct RetryPolicy: Hashable, Sendable {
    /// Times that a request is sent again where a person waits.
    static let quickAttempts = 2
    /// The longest wait that a person is made to bear.
    static let longestQuickWait = 2.0
    /// Seconds before the first repetition; each further one waits twice as long.
    static let firstWait = 0.1
    /// The longest wait in the background.
    static let longestWait = 60.0

    /// Whether nobody waits: network errors are waited out then, too.
    var isPatient: Bool
    /// Seconds after which nobody tries again, however patient.
    var resourceTimeout: TimeInterval

    /// Seconds to wait before the next attempt; nil gives up.
    /// - Parameters:
    ///   - isMutating: whether sending it twice is not the same as sending it once.
    ///   - attempt: how many were made.
    ///   - elapsed: seconds since the first.
    ///   - chance: 0 to 1, spreads those who wait for the same.
    func wait(
        after error: CloudTransportError, isMutating: Bool, attempt: Int, elapsed: TimeInterval, chance: Double
    ) -> TimeInterval? {
        guard let asked = Self.askedWait(error, isMutating: isMutating, isPatient: isPatient) else { return nil }
        let backoff = min(Self.firstWait * pow(2, Double(min(attempt - 1, 16))), Self.longestWait)
        let wait = max(asked, backoff * (0.5 + chance / 2))
        guard elapsed + wait <= resourceTimeout else { return nil }
        guard !isPatient else { return wait }
        return attempt <= Self.quickAttempts && wait <= Self.longestQuickWait ? wait : nil
    }

    /// The seconds that the server asks to wait; nil for what waiting does not help.
    private static func askedWait(_ error: CloudTransportError, isMutating: Bool, isPatient: Bool) -> TimeInterval? {
        switch error {
        case .refused(let refusal, _):
            refusal.code.passes ? Double(refusal.retryAfter ?? 0) : nil
        case .paused(let seconds): Double(seconds)
        // A person is told at once that there is no network.
        case .unreachable: isPatient ? 0 : nil
        case .failed: isMutating ? nil : 0
        case .cancelled, .file, .unconfigured, .untrusted, .stated: nil
        }
    }
}
