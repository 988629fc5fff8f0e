import Foundation
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
        let signal = Task { _ = await SignalWatcher.first() }
        let output = context.output
        guard let takeover = try await takeOver(address, output, until: signal) else { return }
        var settings = DriveSettings(container: container)
        settings.downloadsNewFiles = !values[placeholders]
        try settings.keep(for: container)
        let agent = DriveAgent(
            container: container, cloud: CKContainer(identifier: container.identifier), settings: settings)
        try await agent.start()
        let listener = try DriveListener(agent, at: address, lock: takeover.lock)
        output.line("synchronizing \(container.path)")
        ServiceManager.reportReady()
        await signal.value
        listener.stop()
        await agent.stop()
        withExtendedLifetime(takeover) {}
    }

    /// Makes this process the agent, after an app that is it has ended its step.
    /// - Returns: nil if a signal came before.
    private static func takeOver(
        _ address: DriveAddress, _ output: Output, until signal: Task<Void, Never>
    ) async throws(DriveError) -> DriveAddress.Takeover? {
        let (events, event) = AsyncStream<Result<DriveAddress.Takeover, DriveError>>.makeStream()
        Thread.detachNewThread {
            event.yield(
                Result { () throws(DriveError) in
                    try address.takeOver {
                        output.note("waiting for the app that synchronizes '\(address.container)' now")
                    }
                })
        }
        Task {
            await signal.value
            event.finish()
        }
        for await result in events { return try result.get() }
        return nil
    }
}
