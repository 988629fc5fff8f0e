import Glibc
import StratusWorkers

/// Waits for the signals that end a server, or stop a command that first brings what it does to a good point.
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

    /// Lets the signals end the process, also if whoever started it had them blocked, which a process inherits.
    static func unblockSignals() {
        var set = signals
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// The exit status of a command, which the first signal cancels. If that is why it stopped, the process ends by the
    /// signal, as a shell expects of whom it interrupts.
    static func status(of command: Task<Int32, Never>) async -> Int32 {
        let came = Lock<Int32?>(nil)
        Task.detached {
            let signal = await first()
            came.withLock { $0 = signal }
            command.cancel()
        }
        let status = await command.value
        guard status == ToolError.ExitCode.interrupted.rawValue, let signal = came.withLock({ $0 }) else {
            return status
        }
        Glibc.signal(signal, SIG_DFL)
        unblockSignals()
        raise(signal)
        return status
    }

    /// Waits for the first signal; nil if there is no thread to wait for one. From then on a second one ends the process
    /// at once.
    static func first() async -> Int32? {
        await withCheckedContinuation { continuation in
            let context = Unmanaged.passRetained(Waiter(continuation))
            var thread = pthread_t()
            guard pthread_create(&thread, nil, signalThread, context.toOpaque()) == 0 else {
                // Without a thread nobody could stop the server cleanly.
                context.takeRetainedValue().continuation.resume(returning: nil)
                return
            }
            pthread_detach(thread)
        }
    }

    /// How the log names what ``first()`` gives.
    static func name(of signal: Int32?) -> String {
        switch signal {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        default: "no thread for signals"
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
    let continuation: CheckedContinuation<Int32?, Never>

    init(_ continuation: CheckedContinuation<Int32?, Never>) { self.continuation = continuation }
}

private func signalThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let waiter = Unmanaged<Waiter>.fromOpaque(context).takeRetainedValue()
    waiter.continuation.resume(returning: SignalWatcher.wait())
    _ = SignalWatcher.wait()
    _exit(ToolError.ExitCode.failure.rawValue)
}
