import Foundation

/// What an operation's configuration means for its requests.
struct CallOptions: Hashable, Sendable {
    /// Seconds in a week: how long the framework tries where nobody waits.
    static let week: TimeInterval = 7 * 24 * 60 * 60

    var qualityOfService: QualityOfService = .userInitiated
    /// Seconds for one request.
    var requestTimeout: TimeInterval = 60
    /// Seconds for all of it; nil for what the quality of service says.
    var resourceTimeout: TimeInterval?

    /// When requests are sent again.
    var retries: RetryPolicy {
        let isPatient = qualityOfService == .utility || qualityOfService == .background
        return RetryPolicy(isPatient: isPatient, resourceTimeout: resourceTimeout ?? Self.week)
    }

    /// For one request; no longer than all of it may take.
    var requestDuration: Duration {
        let seconds = min(requestTimeout, resourceTimeout ?? Self.week, Self.week)
        return .milliseconds(Int64(max(seconds, 0.001) * 1_000))
    }
}
