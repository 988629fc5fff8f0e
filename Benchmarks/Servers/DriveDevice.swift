import FoundationEssentials
import Glibc

/// A device of a person: a home of its own, in which `stratus drive run` synchronizes a folder.
final class DriveDevice {
    /// The folder.
    let directory: String
    private let command: [String]
    private let log: String
    private var agent: ChildProcess?

    private struct Status: Decodable { var pending: Int }

    /// - Parameter home: Is created.
    init(_ server: Stratus, home: String) throws {
        directory = "\(home)/drive"
        log = "\(home)/log"
        let data = server.data
        for path in [directory, "\(home)/run"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        chmod("\(home)/run", 0o700)
        // Child processes share the variables of this one, and each device has its own.
        let variables = [
            "HOME": home, "XDG_RUNTIME_DIR": "\(home)/run", "XDG_DATA_HOME": "\(home)/data",
            "XDG_CONFIG_HOME": "\(home)/config", "XDG_CACHE_HOME": "\(home)/cache",
            "STRATUS_URL": "http://127.0.0.1:\(server.port)", "STRATUS_CONTAINER": StratusData.container,
            "STRATUS_ENVIRONMENT": data.environment, "STRATUS_API_TOKEN": data.apiTokenText,
            "STRATUS_WEB_AUTH_TOKEN": data.webAuthToken,
        ]
        command = ["env"] + variables.map { "\($0.key)=\($0.value)" }.sorted() + [data.tool.binary, "drive"]
    }

    /// Starts the agent, and waits until it watches the folder.
    func start() throws {
        let agent = try ChildProcess(command + ["run", "--dir", directory], log: log, readsOutput: true)
        guard let line = agent.readLine(), line.hasPrefix("watching ") else {
            throw BenchmarkError("'stratus drive run' does not start: \(Program.tail(of: log))")
        }
        self.agent = agent
    }

    func stop() { agent?.end() }

    /// The agent; `env` becomes it.
    var process: pid_t { agent?.pid ?? -1 }

    /// Items that are not synchronized yet.
    func pending() throws -> Int {
        let text = try Program.run(command + ["status", "--json"], log: log)
        return try JSONDecoder().decode(Status.self, from: Data(text.utf8)).pending
    }

    /// Waits until something holds and nothing is pending.
    /// - Returns: The seconds since `start`, a time of ``Clock``.
    func settle(since start: UInt64, _ what: String, _ holds: () throws -> Bool) throws -> Double {
        while try !holds() || pending() != 0 {
            guard Clock.seconds(since: start) < Self.patience else {
                throw BenchmarkError("\(what) took more than \(Self.patience) s: \(Program.tail(of: log))")
            }
            usleep(50_000)
        }
        return Clock.seconds(since: start)
    }

    private static let patience = 900.0
}
