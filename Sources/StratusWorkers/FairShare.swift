import Glibc

/// Keeps a client that sends much at once from taking what others need: while several clients ask, each may have so much
/// at work at a time, and what it sends beyond that waits, in order of arrival. A client that is alone may have
/// ``loneFactor`` times as much, more than keeps any machine busy.
///
/// This bounds how long the others' requests queue behind a flood on the threads, in the store's groups and for the
/// processors, whatever the number of its connections.
public final class FairShare: Sendable {
    /// What a request has taken, to be given back.
    public struct Share: Sendable {
        fileprivate let client: Int
        fileprivate let weight: Int
    }

    /// How long a client counts as present after a request, in milliseconds.
    public static let presence: Int64 = 5_000
    /// How many times as much a client may have at work that is alone.
    public static let loneFactor = 64

    private struct Waiter {
        let weight: Int
        let resume: @Sendable () -> Void
    }

    private struct Client {
        var atWork = 0
        /// Empty if nothing is at work.
        var waiting = Fifo<Waiter>()
    }

    private struct State {
        /// Those that have something at work, by 64 bits of a hash that differs in each process: no two clients that
        /// anybody will see, or can make, have the same.
        var clients: [Int: Client] = [:]
        /// Who asked last, and when.
        var latest = (client: 0, time: Int64.min)
        /// Until when several clients count as present.
        var isSharedUntil = Int64.min
        var held: UInt64 = 0
    }

    /// What one client may have at work while others are present.
    public let limit: Int
    private let now: @Sendable () -> Int64
    private let state = Lock(State())

    /// - Parameters:
    ///   - limit: What one client may have at work while others are present, 1 to 1,000,000.
    ///   - now: Milliseconds of a clock that is never set back.
    public init(limit: Int, now: @escaping @Sendable () -> Int64 = FairShare.coarseTime) {
        precondition((1...1_000_000).contains(limit))
        self.limit = limit
        self.now = now
    }

    /// Requests that had to wait since the start.
    public var heldRequests: UInt64 { state.withLock { $0.held } }

    /// Returns when a request may go to work.
    /// - Parameter weight: How much it is of what one client may have, at least 1. What is heavier than all goes to work
    ///   when nothing else of its client is.
    public func take(_ weight: Int = 1, for client: some Hashable) async -> Share {
        let share = Share(client: client.hashValue, weight: min(max(weight, 1), limit))
        let time = now()
        let isFree = state.withLock { state in
            note(share.client, at: time, in: &state)
            return begin(share, at: time, in: &state)
        }
        if isFree { return share }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if begin(share, at: time, in: &state) { return true }
                state.held += 1
                state.clients[share.client, default: Client()].waiting.append(
                    Waiter(weight: share.weight) { continuation.resume() })
                return false
            }
            if isFree { continuation.resume() }
        }
        return share
    }

    /// Ends what was taken; the next of the client go to work.
    public func giveBack(_ share: Share) {
        let time = now()
        let next = state.withLock { state -> [Waiter] in
            guard var client = state.clients.removeValue(forKey: share.client) else { return [] }
            client.atWork -= share.weight
            var taken: [Waiter] = []
            while let next = client.waiting.first, hasRoom(for: next.weight, beside: client.atWork, at: time, in: state)
            {
                _ = client.waiting.popFirst()
                client.atWork += next.weight
                taken.append(next)
            }
            if client.atWork > 0 { state.clients[share.client] = client }
            return taken
        }
        for waiter in next { waiter.resume() }
    }

    /// Milliseconds since the machine was started, as exact as the system's clock ticks.
    public static func coarseTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private func note(_ client: Int, at time: Int64, in state: inout State) {
        if state.latest.client != client {
            if state.latest.time > time - Self.presence { state.isSharedUntil = time + Self.presence }
            state.latest.client = client
        }
        state.latest.time = time
    }

    /// Lets a request go to work if it may.
    private func begin(_ share: Share, at time: Int64, in state: inout State) -> Bool {
        var client = state.clients.removeValue(forKey: share.client) ?? Client()
        let isFree =
            client.waiting.isEmpty && hasRoom(for: share.weight, beside: client.atWork, at: time, in: state)
        if isFree { client.atWork += share.weight }
        if client.atWork > 0 { state.clients[share.client] = client }
        return isFree
    }

    private func hasRoom(for weight: Int, beside atWork: Int, at time: Int64, in state: State) -> Bool {
        let most = time < state.isSharedUntil ? limit : limit * Self.loneFactor
        return atWork == 0 || atWork + weight <= most
    }
}
