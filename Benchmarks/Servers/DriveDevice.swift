import FoundationEssentials
import Glibc

/// A device of a person: a home of its own, in which `stratus drive run` synchronizes a directory.
final class DriveDevice {
    /// The directory.
    let directory: String
    private let command: [String]
    private let options: [String]
    private let log: String
    private var agent: ChildProcess?

    private static let patience = 900.0

    private struct Status: Decodable { var pending, items: Int }

    /// - Parameters:
    ///   - home: Is created.
    ///   - options: Further ones of `drive run`.
    init(_ files: StratusFiles, home: String, options: [String] = []) throws {
        directory = "\(home)/drive"
        log = "\(home)/log"
        self.options = options
        let (person, server) = (files.person, files.server)
        for path in [directory, "\(home)/run"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        chmod("\(home)/run", 0o700)
        // Child processes share the variables of this one, and each device has its own.
        let variables = [
            "HOME": home, "XDG_RUNTIME_DIR": "\(home)/run", "XDG_DATA_HOME": "\(home)/data",
            "XDG_CONFIG_HOME": "\(home)/config", "XDG_CACHE_HOME": "\(home)/cache",
            "STRATUS_URL": "http://127.0.0.1:\(server.port)", "STRATUS_CONTAINER": StratusData.container,
            "STRATUS_ENVIRONMENT": person.environment, "STRATUS_API_TOKEN": person.apiTokenText,
            "STRATUS_WEB_AUTH_TOKEN": person.webAuthToken,
        ]
        command = ["env"] + variables.map { "\($0.key)=\($0.value)" }.sorted() + [person.tool.binary, "drive"]
    }

    /// Starts the agent, and waits until it watches the directory.
    func start() throws {
        let agent = try ChildProcess(
            command + ["run", "--dir", directory] + options, log: log, readsOutput: true)
        guard let line = agent.readLine(), line.hasPrefix("synchronizing ") else {
            throw BenchmarkError("'stratus drive run' does not start: \(Program.tail(of: log))")
        }
        self.agent = agent
    }

    func stop() { agent?.end() }

    /// The agent; `env` becomes it.
    var process: pid_t { agent?.pid ?? -1 }

    /// Waits until the device has at least so many items and nothing is pending.
    /// - Parameters:
    ///   - start: A time of ``Clock``.
    ///   - isDone: Is to hold, too, and is asked first.
    /// - Returns: The seconds since `start`.
    func settle(since start: UInt64, items: Int = 0, _ what: String, _ isDone: () -> Bool = { true }) throws -> Double {
        while true {
            if isDone() {
                let seconds = Clock.seconds(since: start)
                let status = try status()
                if status.items >= items, status.pending == 0 { return seconds }
            }
            guard Clock.seconds(since: start) < Self.patience else {
                throw BenchmarkError("\(what) took more than \(Self.patience) s: \(Program.tail(of: log))")
            }
            // Asking the agent takes its time, too.
            usleep(500_000)
        }
    }

    private func status() throws -> Status {
        let text = try Program.run(command + ["status", "--json"], log: log)
        return try JSONDecoder().decode(Status.self, from: Data(text.utf8))
    }
}
