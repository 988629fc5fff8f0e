import Glibc

/// What a thread does with what waits for it.
protocol BatchConsumer<Element>: Sendable {
    associatedtype Element: Sendable
    /// Handles all that waited, in order of arrival.
    func run(_ batch: consuming [Element])
    /// Called once, after the last batch.
    func finish()
}

/// A thread that takes what waits, as much as there is at a time, in order of arrival.
///
/// `@unchecked Sendable`: the variables are touched only while `mutex` is held, and the two pointers never change.
final class BatchThread<Element: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [Element] = []
    private var isClosed = false
    private var whenEnded: [@Sendable () -> Void] = []
    private var hasEnded = false
    private var consumer: (any BatchConsumer<Element>)?
    private let whenReleased: @Sendable () -> Void

    /// - Parameters:
    ///   - consumer: Called on the thread only, and released when it has finished.
    ///   - whenReleased: Called after that.
    init(_ consumer: any BatchConsumer<Element>, whenReleased: @escaping @Sendable () -> Void = {}) {
        self.consumer = consumer
        self.whenReleased = whenReleased
        mutex = .allocate(capacity: 1)
        arrived = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(arrived)
        mutex.deallocate()
        arrived.deallocate()
    }

    /// Starts the thread, which keeps this object alive until it was closed and has ended.
    func start() throws(StoreError) {
        let context = Unmanaged.passRetained(ThreadBody { self.run() })
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, batchThreadMain, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw StoreError(system: status, while: "starting a thread that writes")
        }
        pthread_detach(thread)
    }

    /// Adds what is to be handled; false if the thread was closed.
    @discardableResult
    func add(_ element: Element) -> Bool {
        pthread_mutex_lock(mutex)
        let accepted = !isClosed
        if accepted { waiting.append(element) }
        let wake = accepted && waiting.count == 1
        pthread_mutex_unlock(mutex)
        if wake { pthread_cond_signal(arrived) }
        return accepted
    }

    /// Takes nothing further, and calls when what waits is done and the thread ends.
    func close(_ whenEnded: @escaping @Sendable () -> Void = {}) {
        pthread_mutex_lock(mutex)
        isClosed = true
        let ended = hasEnded
        if !ended { self.whenEnded.append(whenEnded) }
        pthread_mutex_unlock(mutex)
        if ended { whenEnded() } else { pthread_cond_signal(arrived) }
    }

    private func run() {
        var consumer = takeConsumer()
        while true {
            let batch = take()
            if batch.isEmpty { break }
            consumer?.run(batch)
        }
        consumer?.finish()
        consumer = nil
        whenReleased()
        pthread_mutex_lock(mutex)
        hasEnded = true
        let calls = whenEnded
        whenEnded = []
        pthread_mutex_unlock(mutex)
        for call in calls { call() }
    }

    private func takeConsumer() -> (any BatchConsumer<Element>)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { consumer = nil }
        return consumer
    }

    /// All that waits; empty when closed.
    private func take() -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty, !isClosed { pthread_cond_wait(arrived, mutex) }
        defer { waiting = [] }
        return waiting
    }
}

private final class ThreadBody {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

private func batchThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
