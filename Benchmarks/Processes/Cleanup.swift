import FoundationEssentials
import Glibc
import StratusWorkers

/// Ends the processes and removes the directories of this run, however it ends.
enum Cleanup {
    private struct State {
        var processes: [pid_t] = []
        var directories: [String] = []
        /// Whether the run is being ended, so that nothing may be started any more.
        var isEnding = false
    }

    private static let state = Lock(State())
    /// Milliseconds that a process has to end by itself.
    private static let patience = 10_000

    /// Takes the number of a signal from its handler to the thread that does what a handler may not.
    fileprivate static let signals: (reader: Int32, writer: Int32) = {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// Takes care of signals that end the process. Handlers rather than a blocked mask, because the runtime lets the
    /// main thread wait with a mask of its own.
    static func install() {
        var thread = pthread_t()
        // Made here, so that a handler only reads it.
        _ = signals
        pthread_create(&thread, nil, awaitSignal, nil)
        pthread_detach(thread)
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, passSignal) }
    }

    static func add(process: pid_t) {
        let isEnding = state.withLock { state in
            state.processes.append(process)
            return state.isEnding
        }
        if isEnding { end(process) }
    }

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
            defer { state = State(isEnding: true) }
            return state
        }
        for process in left.processes.reversed() { end(process) }
        for directory in left.directories.reversed() { delete(directory) }
    }

    /// Tries again for a while: a process that has just been ended may have left children that remove files, too.
    private static func delete(_ directory: String) {
        let attempts = 20
        for attempt in 1...attempts {
            do {
                guard FileManager.default.fileExists(atPath: directory) else { return }
                return try FileManager.default.removeItem(atPath: directory)
            } catch {
                if attempt == attempts { Progress.say("\(directory) could not be removed: \(error)") }
                usleep(50_000)
            }
        }
    }
}

private func passSignal(_ number: Int32) {
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(Cleanup.signals.writer, &byte, 1)
}

private func awaitSignal(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var number: UInt8 = 0
    while read(Cleanup.signals.reader, &number, 1) != 1 {}
    Cleanup.run()
    exit(128 + Int32(number))
}
