import Glibc

/// What an engine does with the writes that wait.
protocol GroupWriter: Sendable {
    /// Runs the writes and answers their callers.
    func run(_ writes: consuming [PendingWrite])
    /// Called once, after the last write.
    func finish()
}

/// A thread that takes what waits to be written, as much as there is at a time, in order of arrival.
///
/// `@unchecked Sendable`: the variables are touched only while `mutex` is held, and the two pointers never change.
final class WriterThread: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [PendingWrite] = []
    private var isClosed = false
    private var whenEnded: [@Sendable () -> Void] = []
    private var hasEnded = false
    private var writer: (any GroupWriter)?
    private let whenReleased: @Sendable () -> Void

    /// - Parameters:
    ///   - writer: Called on the thread only, and released when it has finished.
    ///   - whenReleased: Called after that.
    init(_ writer: any GroupWriter, whenReleased: @escaping @Sendable () -> Void) {
        self.writer = writer
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
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, writerThreadMain, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw StoreError(system: status, while: "starting the writer's thread")
        }
        pthread_detach(thread)
    }

    /// Adds a write; false if the thread was closed.
    func add(_ write: PendingWrite) -> Bool {
        pthread_mutex_lock(mutex)
        let accepted = !isClosed
        if accepted { waiting.append(write) }
        let wake = accepted && waiting.count == 1
        pthread_mutex_unlock(mutex)
        if wake { pthread_cond_signal(arrived) }
        return accepted
    }

    /// Takes no further writes, and calls when those that wait are done and the thread ends.
    func close(_ whenEnded: @escaping @Sendable () -> Void = {}) {
        pthread_mutex_lock(mutex)
        isClosed = true
        let ended = hasEnded
        if !ended { self.whenEnded.append(whenEnded) }
        pthread_mutex_unlock(mutex)
        if ended { whenEnded() } else { pthread_cond_signal(arrived) }
    }

    fileprivate func run() {
        var writer = takeWriter()
        while true {
            let writes = take()
            if writes.isEmpty { break }
            writer?.run(writes)
        }
        writer?.finish()
        writer = nil
        whenReleased()
        pthread_mutex_lock(mutex)
        hasEnded = true
        let calls = whenEnded
        whenEnded = []
        pthread_mutex_unlock(mutex)
        for call in calls { call() }
    }

    private func takeWriter() -> (any GroupWriter)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { writer = nil }
        return writer
    }

    /// All that waits; empty when closed.
    private func take() -> [PendingWrite] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty, !isClosed { pthread_cond_wait(arrived, mutex) }
        defer { waiting = [] }
        return waiting
    }
}

private func writerThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<WriterThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
