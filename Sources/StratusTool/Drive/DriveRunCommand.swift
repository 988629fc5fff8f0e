import StratusCloudKit
import StratusCommandLine
import StratusUbiquity

/// `stratus drive run`: the agent that synchronizes a container's directory.
enum DriveRunCommand {
    static let name = "run"

    private static let directory = Option.optional(
        "dir", .file,
        help: "The directory of the container on this machine, which all programs find from then on. Without it, the "
            + "one that was given before, else one in your data directory")
    private static let placeholders = Option.flag(
        "placeholders",
        help: "Leaves placeholders for new files of other devices, until somebody opens or downloads them")

    static func command(_ output: Output) -> Command {
        Command(
            name, summary: "Synchronizes a directory with your files",
            discussion: "Changes in the directory go to the server, and those of other devices come into it. The "
                + "command runs until it is stopped by SIGINT or SIGTERM; changes that are made meanwhile are found "
                + "when it runs again. One process synchronizes a container.",
            options: [DriveTarget.container, directory, placeholders], output: output
        ) { context, values throws(ToolError) in
            let container = try DriveTarget(values).container(at: values[directory])
            do throws(DriveError) {
                try await synchronize(container, values, context)
            } catch {
                throw ToolError(error)
            }
            return .success
        }
    }

    private static func synchronize(
        _ container: UbiquityContainer, _ values: Values, _ context: ToolContext
    ) async throws(DriveError) {
        let address = DriveAddress(container)
        let lock = try address.becomeAgent()
        var settings = DriveSettings(container: container)
        settings.downloadsNewFiles = !values[placeholders]
        let agent = DriveAgent(
            container: container, cloud: CKContainer(identifier: container.identifier), settings: settings)
        try await agent.start()
        let listener = try DriveListener(agent, at: address, lock: lock)
        context.output.line("synchronizing \(container.path)")
        ServiceManager.reportReady()
        _ = await SignalWatcher.first()
        listener.stop()
        await agent.stop()
    }
}
