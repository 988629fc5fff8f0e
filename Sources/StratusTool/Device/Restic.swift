import FoundationEssentials
import Glibc
import StratusCloudService
import StratusHTTPClient

/// Runs Debian's `restic` on the backup of a device.
struct Restic: Sendable {
    private let settings: BackupSettings
    private let device: BackupDevice

    init(_ settings: BackupSettings, _ device: BackupDevice) {
        self.settings = settings
        self.device = device
    }

    /// How a run ended.
    struct Outcome {
        let status: Int32
        /// What it printed, where that was read.
        let output: [UInt8]
    }

    /// Runs restic to its end.
    /// - Parameter reads: whether its output is read; otherwise it goes where the tool's own does. Messages about failures
    ///   go to standard error in any case.
    /// - Throws: if restic cannot be started.
    func run(_ arguments: [String], reads: Bool) throws(ToolError) -> Outcome {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ToolError("no pipe: \(DataDirectory.systemMessage())") }
        // restic must not have the ends that are the tool's: the pipe would never be at its end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // It has its password from the environment and must not ask for one.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if reads { posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) }
        let words = Self.strings(["restic"] + authority + arguments)
        let variables = Self.strings(environment)
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, "restic", &actions, nil, words, variables)
        close(ends[1])
        guard failure == 0 else {
            throw ToolError(
                failure == ENOENT
                    ? "restic is not installed; install the package 'restic'"
                    : "restic does not start: \(String(cString: strerror(failure)))")
        }
        let output = reads ? Self.readAll(ends[0]) : []
        return Outcome(status: Self.wait(for: process), output: output)
    }

    /// Runs restic and reads the JSON that it prints.
    func json<Value: Decodable>(_ type: Value.Type, _ arguments: [String]) throws(ToolError) -> Value {
        let outcome = try run(arguments + ["--json"], reads: true)
        guard outcome.status == 0 else { throw Self.failure(outcome.status) }
        do {
            return try JSONDecoder().decode(type, from: Data(outcome.output))
        } catch {
            throw ToolError("restic's answer cannot be read: \(error)")
        }
    }

    static func failure(_ status: Int32) -> ToolError {
        ToolError("restic failed with status \(status); its message is above", code: "RESTIC")
    }

    private var authority: [String] { settings.certificateAuthorityFile.map { ["--cacert", $0] } ?? [] }

    /// Secrets stand in the environment, which other users cannot read, and not among the arguments, which they can.
    private var environment: [String] {
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RESTIC_") }
        variables["RESTIC_PASSWORD"] = settings.recoveryKey
        let slashes = settings.url.firstRange(of: "://")?.upperBound ?? settings.url.startIndex
        let user = PercentEncoding.encode(settings.email) + ":" + PercentEncoding.encode(settings.appPassword)
        variables["RESTIC_REPOSITORY"] =
            "rest:\(settings.url[..<slashes])\(user)@\(settings.url[slashes...])/backup/\(device.name)/"
        return variables.map { "\($0.key)=\($0.value)" }
    }

    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count > 0 { bytes += piece.prefix(count) } else if count == 0 || errno != EINTR { return bytes }
        }
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        // The low seven bits are the signal that ended it; shells count those from 128.
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
