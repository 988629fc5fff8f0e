import Foundation
import Glibc
import StratusDeviceCredentials
import StratusWorkers

/// The ledger in a file, changed by one process at a time.
final class LedgerFile: Sendable {
    let directory: String
    /// The bytes that were read or written last, and the ledger that they are. Most of the time no other process has
    /// changed the file.
    private let latest = Lock<(bytes: Data, ledger: CoordinationLedger)?>(nil)

    private var path: String { directory + "/ledger-1.json" }

    init(directory: String) { self.directory = directory }

    /// The file whose lock a process holds as long as it lives.
    func lockPath(of process: String) -> String { "\(directory)/\(process).lock" }

    /// The socket on which a process takes messages.
    func socketPath(of process: String) -> String { "\(directory)/\(process).socket" }

    /// Changes the ledger. What processes left behind that are gone is removed first.
    /// - Parameter process: The process that changes it.
    /// - Returns: the result, and which processes have to look at their claims again.
    func update<Result>(
        by process: String, _ change: (inout CoordinationLedger) -> (Result, CoordinationLedger.Wakes)
    ) throws -> (Result, CoordinationLedger.Wakes) {
        let lock = try FileLock.waiting(directory + "/ledger.lock")
        defer { withExtendedLifetime(lock) {} }
        var ledger = try read()
        let before = ledger
        var wakes = try removeDead(from: &ledger, except: process)
        let (result, more) = change(&ledger)
        wakes.formUnion(more)
        if ledger != before { try write(ledger) }
        return (result, wakes)
    }

    /// The ledger as it is now.
    func read() throws -> CoordinationLedger {
        guard let data = FileManager.default.contents(atPath: path) else {
            // A missing file means that no process coordinates. A file that cannot be read is an error.
            if FileManager.default.fileExists(atPath: path) { throw CoordinationDirectory.error(EACCES, path) }
            return CoordinationLedger()
        }
        guard data.count <= CoordinationLimits.ledger else { throw CoordinationDirectory.error(EFBIG, path) }
        if let known = latest.withLock({ $0 }), known.bytes == data { return known.ledger }
        let ledger = try JSONDecoder().decode(CoordinationLedger.self, from: data)
        latest.withLock { $0 = (data, ledger) }
        return ledger
    }

    /// A ledger that is too large to be read again would end all coordination, so it is not written.
    private func write(_ ledger: CoordinationLedger) throws {
        let data = try JSONEncoder().encode(ledger)
        guard data.count <= CoordinationLimits.ledger else { throw CoordinationDirectory.error(EFBIG, path) }
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        latest.withLock { $0 = (data, ledger) }
    }

    private func removeDead(
        from ledger: inout CoordinationLedger, except own: String
    ) throws -> CoordinationLedger.Wakes {
        var wakes: CoordinationLedger.Wakes = []
        for process in ledger.processes where process != own {
            guard let lock = try FileLock.trying(lockPath(of: process)) else { continue }
            withExtendedLifetime(lock) {
                wakes.formUnion(ledger.end(process: process))
                unlink(lockPath(of: process))
                unlink(socketPath(of: process))
            }
        }
        return wakes
    }
}
