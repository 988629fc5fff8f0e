import Glibc

/// The queue of a pool: a lock, a condition, and the work in lanes that take turns; in a lane, in order of arrival.
///
/// `@unchecked Sendable`: the variables are touched only between `lock` and `unlock` of `mutex`, and the two pointers
/// never change. A pthread lock, because the thread sanitizer reports false races with `Synchronization.Mutex`.
final class WorkQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
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

    func add(toLane lane: Int, _ body: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        if lanes[lane].isEmpty { turns.append(lane) }
        lanes[lane].append(body)
        unlockWakingASleeper()
    }

    func runForever() -> Never {
        PoolThread.markCurrent()
        while true { take()() }
    }

    private func take() -> @Sendable () -> Void {
        pthread_mutex_lock(mutex)
        while true {
            if let lane = turns.popFirst(), let body = lanes[lane].popFirst() {
                if !lanes[lane].isEmpty { turns.append(lane) }
                unlockWakingASleeper()
                return body
            }
            sleepers += 1
            pthread_cond_wait(arrived, mutex)
            isWaking = false
            sleepers -= 1
        }
    }

    private func unlockWakingASleeper() {
        let wakes = !turns.isEmpty && sleepers > 0 && !isWaking
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
