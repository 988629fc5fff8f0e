import FoundationEssentials
import Glibc
import StratusDeviceCredentials

/// The services of the user in systemd. All calls block.
struct UserServices {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// Writes the file of a unit.
    /// - Returns: The path of the file.
    static func write(_ unit: DriveUnit, _ environment: [String: String]) throws(ToolError) -> String {
        let path = try path(of: unit.name, environment)
        let directory = String(path.dropLast(unit.name.count + 1))
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw ToolError("'\(directory)' cannot be created: \(error)")
        }
        try AtomicFile.replace(path, with: Array(unit.text.utf8))
        return path
    }

    /// `systemd/user` in the user's configuration directory.
    private static func path(of unit: String, _ environment: [String: String]) throws(ToolError) -> String {
        guard let own = CredentialsFile.configurationDirectory(environment) else {
            throw ToolError("there is no directory for the unit: neither XDG_CONFIG_HOME nor HOME is set")
        }
        return String(own.dropLast("/stratus".count)) + "/systemd/user/\(unit)"
    }

    /// Starts a unit, now and whenever the user signs in.
    /// - Returns: false if the user's systemd does not answer.
    func start(_ unit: String) throws(ToolError) -> Bool {
        guard control(["daemon-reload"]) == nil else { return false }
        for action in ["enable", "restart"] {
            if let failure = control([action, unit]) {
                throw ToolError(
                    "systemd cannot \(action) '\(unit)': \(failure); see 'journalctl --user --unit \(unit)'",
                    code: "SYSTEMD")
            }
        }
        return true
    }

    /// Stops a unit and removes its file.
    func remove(_ unit: String) throws(ToolError) {
        let path = try Self.path(of: unit, environment)
        guard access(path, F_OK) == 0 else {
            throw ToolError("'\(path)' does not exist", code: "NOT_FOUND")
        }
        let isRunning = control(["daemon-reload"]) == nil
        if isRunning, let failure = control(["disable", "--now", unit]) {
            throw ToolError("systemd cannot stop '\(unit)': \(failure)", code: "SYSTEMD")
        }
        guard unlink(path) == 0 else {
            throw ToolError("'\(path)' cannot be removed: \(DataDirectory.systemMessage())")
        }
        if isRunning { _ = control(["daemon-reload"]) }
    }

    /// Removes the unit that an earlier version wrote under another name for the same container and profile.
    /// - Returns: The name of that unit; nil if it does not exist.
    @discardableResult
    func removeFormer(of unit: DriveUnit) throws(ToolError) -> String? {
        guard let name = unit.formerName,
            let bytes = FileManager.default.contents(atPath: try Self.path(of: name, environment)),
            unit.isSame(as: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        try remove(name)
        return name
    }

    /// Runs `systemctl`.
    /// - Returns: Why it failed; nil if it did not.
    private func control(_ arguments: [String]) -> String? {
        do throws(Program.StartError) {
            let outcome = try Program.run(
                "systemctl", ["--user"] + arguments, environment: environment, reads: .outputAndErrors)
            guard outcome.status != 0 else { return nil }
            let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
            return lines.last.map(String.init) ?? "systemctl ended with status \(outcome.status)"
        } catch {
            return "systemctl does not start: \(error.message)"
        }
    }
}
