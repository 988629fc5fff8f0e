import FoundationEssentials
import Glibc
import StratusCommandLine
import StratusUbiquity

/// `stratus drive install` and `uninstall`: the agent as a service of the user's systemd.
enum DriveServiceCommands {
    private static let directory = Option.optional(
        "dir", .file, help: "The directory of the container on this machine, as for 'stratus drive run'")
    private static let placeholders = Option.flag("placeholders", help: "The option of 'stratus drive run'")

    static func commands(_ output: Output) -> [Command] { [install(output), uninstall(output)] }

    private struct Installed: Encodable {
        var unit: String
        var path: String
        var directory: String
        /// Whether systemd runs it.
        var isEnabled: Bool
    }

    private struct Removed: Encodable {
        var unit: String
    }

    private static func install(_ output: Output) -> Command {
        Command(
            "install", summary: "Synchronizes your files whenever you are signed in to this machine",
            discussion: "Writes a systemd unit of the user that runs 'stratus drive run', enables and starts it. "
                + "'loginctl enable-linger' lets it run also while you are not signed in.",
            options: [DriveTarget.container, directory, placeholders], output: output
        ) { context, values throws(ToolError) in
            let environment = ProcessInfo.processInfo.environment
            guard environment["STRATUS_WEB_AUTH_TOKEN", default: ""].isEmpty else {
                throw ToolError(
                    "a service does not have your STRATUS_WEB_AUTH_TOKEN; unset it, and sign in with 'stratus login'",
                    code: "AUTHENTICATION_REQUIRED")
            }
            let target = try DriveTarget(values)
            let container = try target.container(at: values[directory])
            let unit = try unit(container.identifier, values[placeholders] ? ["--placeholders"] : [], environment)
            let services = UserServices(environment)
            try services.removeFormer(of: unit)
            let path = try UserServices.write(unit, environment)
            let installed = Installed(
                unit: unit.name, path: path, directory: container.path, isEnabled: try services.start(unit.name))
            let text =
                installed.isEnabled
                ? "installed \(unit.name)\nsynchronizing \(container.path)"
                : "wrote \(path)"
            try context.output.result(installed, text: text)
            guard !installed.isEnabled else { return .success }
            context.output.note(
                "systemd's manager of your services does not answer. Where it runs, start the service with:\n"
                    + "  systemctl --user daemon-reload && systemctl --user enable --now '\(unit.name)'\n"
                    + "Without systemd, let your session start: stratus drive run --container \(container.identifier)")
            return .success
        }
    }

    private static func uninstall(_ output: Output) -> Command {
        Command(
            "uninstall", summary: "Undoes 'install'; the files stay where they are",
            options: [DriveTarget.container], output: output
        ) { context, values throws(ToolError) in
            let environment = ProcessInfo.processInfo.environment
            let target = try DriveTarget(values)
            let unit = try unit(target.container.identifier, [], environment)
            let services = UserServices(environment)
            let former = try services.removeFormer(of: unit)
            if former == nil { try services.remove(unit.name) }
            let removed = Removed(unit: former ?? unit.name)
            try context.output.result(removed, text: "removed \(removed.unit)")
            return .success
        }
    }

    private static func unit(
        _ container: String, _ options: [String], _ environment: [String: String]
    ) throws(ToolError) -> DriveUnit {
        guard let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw ToolError("the path of this program cannot be found in /proc")
        }
        let unit = DriveUnit(
            container: container, executable: executable, options: options, environment: environment)
        guard unit.name.utf8.count <= DriveUnit.nameLength else {
            throw ToolError("the unit's name would have more than \(DriveUnit.nameLength) bytes")
        }
        return unit
    }
}
