import Glibc

/// The queue of a pool: a lock, a condition, and the work in lanes that take turns; in a lane, in order of arrival.
///
/// `@unchecked Sendable`: the variables are touched only between `lock` and `unlock` of `mutex`, and the two pointers
/// never change. A pthread lock, because the thread sanitizer reports false races with `Synchronization.Mutex`.
final class WorkQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
    /// What the pool itself was given: short pieces, from which further work in lanes comes.
    private var arrivals = Fifo<@Sendable () -> Void>()
    /// Arrivals taken since the last turn of a lane.
    private var arrivalsInRow = 0
    private var lanes: [Fifo<@Sendable () -> Void>]
    /// The lanes that have work, each once.
    private var turns = Fifo<Int>()
    private var sleepers = 0
    /// A sleeper was signalled and has not looked yet. One at a time is woken, and wakes the next if work is left: a
    /// wake-up is a system call, and under load the threads that are awake take the work anyway.
    private var isWaking = false

    init(lanes: Int) {
        self.lanes = Array(repeating: Fifo(), count: lanes)
        mutex = .allocate(capacity: 1)
        arrived = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
    }

    // Pools live as long as the process, and so do their queues: nothing to free.

    /// Arrivals that are taken before a lane has its turn: enough that what just came is soon in its lane, and not so
    /// many that those who only arrive keep all others waiting.
    private static let arrivalsPerTurn = 8

    func add(_ body: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        arrivals.append(body)
        unlockWakingASleeper()
    }

    func add(toLane lane: Int, _ body: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        if lanes[lane].isEmpty { turns.append(lane) }
        lanes[lane].append(body)
        unlockWakingASleeper()
    }

    var hasWaitingWork: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return !(arrivals.isEmpty && turns.isEmpty)
    }

    func runForever() -> Never {
        PoolThread.markCurrent()
        while true { take()() }
    }

    private func take() -> @Sendable () -> Void {
        pthread_mutex_lock(mutex)
        while true {
            if let body = next() {
                unlockWakingASleeper()
                return body
            }
            sleepers += 1
            pthread_cond_wait(arrived, mutex)
            isWaking = false
            sleepers -= 1
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        if arrivalsInRow < Self.arrivalsPerTurn || turns.isEmpty, let body = arrivals.popFirst() {
            arrivalsInRow += 1
            return body
        }
        arrivalsInRow = 0
        guard let lane = turns.popFirst(), let body = lanes[lane].popFirst() else { return nil }
        if !lanes[lane].isEmpty { turns.append(lane) }
        return body
    }

    private func unlockWakingASleeper() {
        let wakes = !(arrivals.isEmpty && turns.isEmpty) && sleepers > 0 && !isWaking
        if wakes { isWaking = true }
        pthread_mutex_unlock(mutex)
        if wakes { pthread_cond_signal(arrived) }
    }
}

/// Remembers, per thread, whether it belongs to a pool.
enum PoolThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static func markCurrent() { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
    static var isCurrent: Bool { pthread_getspecific(key) != nil }
}
