import FoundationEssentials
import Glibc
import Workers

/// Ends the processes and removes the directories of this run, however it ends.
enum Cleanup {
    private struct State {
        var processes: [pid_t] = []
        var directories: [String] = []
    }

    private static let state = Lock(State())
    /// Milliseconds that a process has to end by itself.
    private static let patience = 10_000

    /// Takes care of SIGINT and SIGTERM on a thread of its own. Before any other thread is made, because they inherit
    /// the mask.
    static func install() {
        var signals = watchedSignals()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var thread = pthread_t()
        pthread_create(&thread, nil, awaitSignal, nil)
        pthread_detach(thread)
    }

    static func add(process: pid_t) { state.withLock { $0.processes.append(process) } }
    static func add(directory: String) { state.withLock { $0.directories.append(directory) } }

    /// Ends a process that was added, and takes note that it is gone.
    static func end(_ process: pid_t, _ signal: Int32 = SIGTERM) {
        kill(process, signal)
        var waited = 0
        while waitpid(process, nil, WNOHANG) == 0 {
            usleep(5_000)
            waited += 5
            if waited == patience { kill(process, SIGKILL) }
        }
        forget(process)
    }

    /// Takes note that a process is gone.
    static func forget(_ process: pid_t) { state.withLock { $0.processes.removeAll { $0 == process } } }

    static func remove(directory: String) {
        state.withLock { $0.directories.removeAll { $0 == directory } }
        delete(directory)
    }

    /// Ends and removes all that was added.
    static func run() {
        let left = state.withLock { state in
            defer { state = State() }
            return state
        }
        for process in left.processes.reversed() { end(process) }
        for directory in left.directories { delete(directory) }
    }

    private static func delete(_ directory: String) {
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            Progress.say("\(directory) could not be removed: \(error)")
        }
    }

    fileprivate static func watchedSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        return signals
    }
}

private func awaitSignal(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var signals = Cleanup.watchedSignals()
    var signal: Int32 = 0
    sigwait(&signals, &signal)
    Cleanup.run()
    exit(128 + signal)
}
