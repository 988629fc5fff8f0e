import Glibc
import StratusWorkers

/// What a thread does with what waits for it.
protocol BatchConsumer<Element>: Sendable {
    associatedtype Element: Sendable
    /// Handles all that waited, in order of arrival.
    func run(_ batch: consuming [Element])
    /// Called once, after the last batch.
    func finish()
}

/// A thread that takes what waits, as much as there is at a time, in order of arrival.
final class BatchThread<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var isClosed = false
        var hasEnded = false
        var whenEnded: [@Sendable () -> Void] = []
        var consumer: (any BatchConsumer<Element>)?
    }

    private let state: Monitor<State>
    private let whenReleased: @Sendable () -> Void

    /// - Parameters:
    ///   - consumer: Called on the thread only, and released when it has finished.
    ///   - whenReleased: Called after that.
    init(_ consumer: any BatchConsumer<Element>, whenReleased: @escaping @Sendable () -> Void = {}) {
        state = Monitor(State(consumer: consumer))
        self.whenReleased = whenReleased
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
        let (accepted, wakes) = state.withLock {
            if !$0.isClosed { $0.waiting.append(element) }
            return (!$0.isClosed, $0.waiting.count == 1)
        }
        if accepted, wakes { state.wakeOne() }
        return accepted
    }

    /// Takes nothing further, and calls when what waits is done and the thread ends.
    func close(_ whenEnded: @escaping @Sendable () -> Void = {}) {
        let hasEnded = state.withLock {
            $0.isClosed = true
            if !$0.hasEnded { $0.whenEnded.append(whenEnded) }
            return $0.hasEnded
        }
        if hasEnded { whenEnded() } else { state.wakeOne() }
    }

    private func run() {
        var consumer = state.withLock { $0.consumer.take() }
        while true {
            let batch = takeAll()
            if batch.isEmpty { break }
            consumer?.run(batch)
        }
        consumer?.finish()
        consumer = nil
        whenReleased()
        let calls = state.withLock { state in
            state.hasEnded = true
            defer { state.whenEnded = [] }
            return state.whenEnded
        }
        for call in calls { call() }
    }

    /// All that waits; empty when closed.
    private func takeAll() -> [Element] {
        state.wait { state in
            guard !state.waiting.isEmpty || state.isClosed else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
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
