import Glibc

/// Keeps a client that sends much at once from taking what others need: while several clients ask, each may have so much
/// at work at a time, and what it sends beyond that waits, in order of arrival. A client that is alone never waits.
///
/// This bounds how long the others' requests queue behind a flood on the threads, in the store's groups and for the
/// processors, and costs the flood little: that much at work keeps a machine busy.
public final class FairShare: Sendable {
    /// What a request has taken, to be given back.
    public struct Share: Sendable {
        fileprivate let slot: Int
        fileprivate let weight: Int
    }

    /// How long a client counts as present after a request, in milliseconds.
    public static let presence: Int64 = 5_000
    /// How many clients are told apart; more share by chance, as the hash differs in each process.
    private static let slots = 1_024

    private struct Waiter {
        let weight: Int
        let resume: @Sendable () -> Void
    }

    private struct State {
        var atWork = [Int](repeating: 0, count: FairShare.slots)
        /// Those of clients that wait, and no other.
        var waiting: [Int: Fifo<Waiter>] = [:]
        /// Who asked last, and when.
        var latest = (slot: -1, time: Int64.min)
        /// Until when several clients count as present.
        var isSharedUntil = Int64.min
        var held: UInt64 = 0
    }

    /// What one client may have at work while others are present.
    public let limit: Int
    private let now: @Sendable () -> Int64
    private let state = Lock(State())

    /// - Parameters:
    ///   - limit: What one client may have at work while others are present, at least 1.
    ///   - now: Milliseconds of a clock that is never set back.
    public init(limit: Int, now: @escaping @Sendable () -> Int64 = FairShare.coarseTime) {
        precondition(limit > 0)
        self.limit = limit
        self.now = now
    }

    /// Requests that had to wait since the start.
    public var heldRequests: UInt64 { state.withLock { $0.held } }

    /// Returns when a request may go to work.
    /// - Parameter weight: How much it is of what one client may have, at least 1. What is heavier than all goes to work
    ///   when nothing else of its client is.
    public func take(_ weight: Int = 1, for client: some Hashable) async -> Share {
        let share = Share(slot: Self.slot(of: client), weight: min(max(weight, 1), limit))
        let time = now()
        if state.withLock({ begin(share, at: time, in: &$0) }) { return share }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if fits(share, at: time, in: state) {
                    state.atWork[share.slot] += share.weight
                    return true
                }
                state.held += 1
                state.waiting[share.slot, default: Fifo()].append(
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
        let next = state.withLock { state in
            state.atWork[share.slot] -= share.weight
            return state.waiting.isEmpty ? [] : takeWaiting(of: share.slot, at: time, in: &state)
        }
        for waiter in next { waiter.resume() }
    }

    /// Milliseconds since the machine was started, as exact as the system's clock ticks.
    public static func coarseTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Clients of one slot are taken for one.
    static func slot(of client: some Hashable) -> Int { Int(UInt(bitPattern: client.hashValue) % UInt(slots)) }

    /// Notes who asks, and lets the request go to work if it may.
    private func begin(_ share: Share, at time: Int64, in state: inout State) -> Bool {
        if state.latest.slot != share.slot, state.latest.time > time - Self.presence {
            state.isSharedUntil = time + Self.presence
        }
        state.latest = (share.slot, time)
        guard fits(share, at: time, in: state) else { return false }
        state.atWork[share.slot] += share.weight
        return true
    }

    private func fits(_ share: Share, at time: Int64, in state: State) -> Bool {
        (state.waiting.isEmpty || state.waiting[share.slot] == nil)
            && hasRoom(for: share.weight, share.slot, at: time, in: state)
    }

    private func hasRoom(for weight: Int, _ slot: Int, at time: Int64, in state: State) -> Bool {
        time >= state.isSharedUntil || state.atWork[slot] + weight <= limit || state.atWork[slot] == 0
    }

    private func takeWaiting(of slot: Int, at time: Int64, in state: inout State) -> [Waiter] {
        guard var waiting = state.waiting.removeValue(forKey: slot) else { return [] }
        var taken: [Waiter] = []
        while let next = waiting.first, hasRoom(for: next.weight, slot, at: time, in: state) {
            _ = waiting.popFirst()
            state.atWork[slot] += next.weight
            taken.append(next)
        }
        if !waiting.isEmpty { state.waiting[slot] = waiting }
        return taken
    }
}
