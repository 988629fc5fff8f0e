import FoundationEssentials
import Glibc

/// A PostgreSQL cluster of its own, reached by a socket in its directory.
final class PostgreSQL {
    static let user = "bench"

    /// What a connection string names as the host.
    let socketDirectory: String
    private let child: ChildProcess
    private let directory: TemporaryDirectory

    var process: pid_t { child.pid }

    init(in parent: String) throws {
        directory = try TemporaryDirectory(in: parent)
        socketDirectory = directory.path
        let log = "\(parent)/postgresql.log"
        let programs = try Self.programs()
        let data = "\(directory.path)/data"
        if getuid() == 0 {
            guard let account = getpwnam("postgres") else { throw BenchmarkError("there is no user postgres") }
            chown(directory.path, account.pointee.pw_uid, account.pointee.pw_gid)
        }
        try Program.run(
            Self.unprivileged + [
                "\(programs)/initdb", "-D", data, "-U", Self.user, "-A", "trust", "-E", "UTF8", "--locale=C",
                "--no-sync",
            ], log: log)
        child = try ChildProcess(
            Self.unprivileged + [
                "\(programs)/postgres", "-D", data, "-k", directory.path, "-c", "listen_addresses=",
            ], log: log)
        try createDatabase("\(programs)/psql", log: log)
    }

    /// SIGINT: without waiting for clients.
    func stop() {
        child.end(SIGINT)
        directory.remove()
    }

    /// The version, nil if it is not installed.
    static var version: String? {
        (try? programs()).flatMap { Program.version(["\($0)/postgres", "--version"]) }
    }

    private func createDatabase(_ psql: String, log: String) throws {
        let attempts = 100
        for attempt in 1...attempts {
            do {
                try Program.run(
                    [psql, "-h", socketDirectory, "-U", Self.user, "-c", "CREATE DATABASE kinto", "postgres"], log: log)
                return
            } catch {
                if attempt == attempts { throw error }
                usleep(100_000)
            }
        }
    }

    /// PostgreSQL refuses to run as root.
    private static var unprivileged: [String] {
        getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []
    }

    /// Debian keeps the server's programs off the PATH, in a directory per version.
    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let newest = versions.compactMap({ Int($0) }).max() else {
            throw BenchmarkError("PostgreSQL is not installed in \(root)")
        }
        return "\(root)/\(newest)/bin"
    }
}
