import Glibc

/// Waits for the signals that end a server.
///
/// They are blocked in every thread and taken by one of its own, so no handler runs in the middle of anything.
enum SignalWatcher {
    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }

    /// Blocks the signals in this thread and in all that it starts. To be called before there are others.
    static func blockSignals() {
        var set = signals
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the first signal and returns its name. From then on a second one ends the process at once.
    static func first() async -> String {
        await withCheckedContinuation { continuation in
            let context = Unmanaged.passRetained(Waiter(continuation))
            var thread = pthread_t()
            guard pthread_create(&thread, nil, signalThread, context.toOpaque()) == 0 else {
                // Without a thread nobody could stop the server cleanly.
                context.takeRetainedValue().continuation.resume(returning: "no thread for signals")
                return
            }
            pthread_detach(thread)
        }
    }

    fileprivate static func wait() -> Int32 {
        var set = signals
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }
}

private final class Waiter: Sendable {
    let continuation: CheckedContinuation<String, Never>

    init(_ continuation: CheckedContinuation<String, Never>) { self.continuation = continuation }
}

private func signalThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let waiter = Unmanaged<Waiter>.fromOpaque(context).takeRetainedValue()
    let signal = SignalWatcher.wait()
    waiter.continuation.resume(returning: signal == SIGINT ? "SIGINT" : "SIGTERM")
    _ = SignalWatcher.wait()
    _exit(ToolError.ExitCode.failure.rawValue)
}
