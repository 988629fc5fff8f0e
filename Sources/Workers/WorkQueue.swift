import Glibc

/// The queue of a pool: a lock, a condition, and the work in order of arrival.
///
/// `@unchecked Sendable`: `work` is touched only between `lock` and `unlock` of `mutex`, and the two pointers never
/// change. A pthread lock, because the thread sanitizer reports false races with `Synchronization.Mutex`.
final class WorkQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
    private var work: [@Sendable () -> Void] = []
    private var next = 0
    private var sleepers = 0
    /// A sleeper was signalled and has not looked yet. One at a time is woken, and wakes the next if work is left: a
    /// wake-up is a system call, and under load the threads that are awake take the work anyway.
    private var isWaking = false

    init() {
        mutex = .allocate(capacity: 1)
        arrived = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
    }

    // Pools live as long as the process, and so do their queues: nothing to free.

    func add(_ body: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        work.append(body)
        unlockWakingASleeper()
    }

    func runForever() -> Never {
        PoolThread.markCurrent()
        while true { take()() }
    }

    private func take() -> @Sendable () -> Void {
        pthread_mutex_lock(mutex)
        while next == work.count {
            sleepers += 1
            pthread_cond_wait(arrived, mutex)
            isWaking = false
            sleepers -= 1
        }
        let body = work[next]
        next += 1
        if next == work.count {
            work.removeAll(keepingCapacity: next <= 1_024)
            next = 0
        } else if next >= 1_024 {
            work.removeFirst(next)
            next = 0
        }
        unlockWakingASleeper()
        return body
    }

    private func unlockWakingASleeper() {
        let wakes = next < work.count && sleepers > 0 && !isWaking
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
