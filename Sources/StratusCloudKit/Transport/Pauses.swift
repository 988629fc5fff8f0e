import StratusCloudModel

/// Which kinds of requests the server asked to stop for a while, and until when. Asking earlier would prolong the penalty, so
/// those requests are refused here. Pure: the clock is the caller's,
/// and its times are counted from a moment that stays.
struct Pauses: Sendable {
    /// The longest pause that is taken on, in seconds: an hour.
    static let longest = 3_600

    /// Requests that share a fate: the same call in the same database.
    struct Kind: Hashable, Sendable {
        var action: String
        var scope: DatabaseScope

        init(_ request: CloudRequest) {
            action = request.call.action
            scope = request.scope
        }
    }

    private var ends: [Kind: Duration] = [:]

    /// Takes note of what a request came to.
    mutating func note(_ error: CloudTransportError, of kind: Kind, at now: Duration) {
        guard case .refused(let refusal, _) = error, refusal.code.passes, let seconds = refusal.retryAfter, seconds > 0
        else { return }
        ends[kind] = now + .seconds(min(seconds, Self.longest))
    }

    /// Why a request is not sent now; nil if it is.
    mutating func refusal(of kind: Kind, at now: Duration) -> CloudTransportError? {
        guard let end = ends[kind] else { return nil }
        guard end > now else {
            ends[kind] = nil
            return nil
        }
        let seconds = Int(((end - now) / .seconds(1)).rounded(.up))
        return .paused(retryAfter: max(1, seconds))
    }
}
