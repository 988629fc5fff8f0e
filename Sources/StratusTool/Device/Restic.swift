import FoundationEssentials
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

    /// Runs restic to its end.
    /// - Parameter reads: whether its output is read; otherwise it goes where the tool's own does. Messages about failures
    ///   go to standard error in any case.
    /// - Throws: if restic cannot be started.
    func run(_ arguments: [String], reads: Bool) throws(ToolError) -> Program.Outcome {
        // It has its password from the environment and must not ask for one.
        do throws(Program.StartError) {
            return try Program.run(
                "restic", authority + arguments, environment: environment, reads: reads ? .output : .nothing)
        } catch {
            throw ToolError(
                error.isMissing
                    ? "restic is not installed; install the package 'restic'"
                    : "restic does not start: \(error.message)")
        }
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
    private var environment: [String: String] {
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RESTIC_") }
        variables["RESTIC_PASSWORD"] = settings.recoveryKey
        let slashes = settings.url.firstRange(of: "://")?.upperBound ?? settings.url.startIndex
        let user = PercentEncoding.encode(settings.email) + ":" + PercentEncoding.encode(settings.appPassword)
        variables["RESTIC_REPOSITORY"] =
            "rest:\(settings.url[..<slashes])\(user)@\(settings.url[slashes...])/backup/\(device.name)/"
        return variables
    }
}
