import Foundation
import Glibc
import StratusWorkers

/// What would outlive the tests: running processes, and directories that something still holds at the end.
enum Leftovers {
    private struct Kept: Sendable {
        var processes: Set<pid_t> = []
        var directories: Set<String> = []
    }

    private static let kept: Lock<Kept> = {
        atexit { Leftovers.clear() }
        return Lock(Kept())
    }()

    static func add(process id: pid_t) { kept.withLock { _ = $0.processes.insert(id) } }
    static func remove(process id: pid_t) { kept.withLock { _ = $0.processes.remove(id) } }
    static func add(directory path: String) { kept.withLock { _ = $0.directories.insert(path) } }
    static func remove(directory path: String) { kept.withLock { _ = $0.directories.remove(path) } }

    private static func clear() {
        let kept = kept.withLock { $0 }
        for id in kept.processes { kill(id, SIGKILL) }
        for path in kept.directories { try? FileManager.default.removeItem(atPath: path) }
    }
}
