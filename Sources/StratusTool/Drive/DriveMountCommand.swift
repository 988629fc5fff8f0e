import StratusCommandLine
import StratusDriveMount

/// `stratus drive mount`: the person's files as a file system.
enum DriveMountCommand {
    static let name = "mount"

    private static let directory = Positional.required("directory", .file, help: "An empty directory")
    private static let container = Option.optional(
        "container", .string("identifier"), help: "The container; that of your sign-in by default")
    private static let cache = Option.value(
        "cache", .byteCount(DriveMount.Limits.smallestCache...Int64.max), default: DriveMount.Limits.cacheSize,
        help: "The room for contents on this machine. Contents that are not uploaded yet do not count")

    static func command(_ output: Output) -> Command {
        Command(
            name, summary: "Mounts your files on a directory",
            discussion: "A file is fetched when it is opened and uploaded when it is closed. Files in the cache can be "
                + "read without the server, and what you change without it is sent when it is back. The command runs "
                + "until it is stopped by SIGINT or SIGTERM, or the directory is unmounted. Needs the package 'fuse3'.",
            options: [container, cache], positionals: [directory], output: output
        ) { context, values throws(ToolError) in
            do {
                let mount = try await DriveMount(
                    directory: values[directory], container: values[container], cacheSize: values[cache])
                try await mount.run {
                    context.output.line("mounted \($0)")
                } until: {
                    _ = await SignalWatcher.first()
                }
            } catch let error as MountError {
                throw ToolError(error.description)
            } catch {
                throw ToolError("\(values[directory]) cannot be mounted: \(error)")
            }
            return .success
        }
    }
}
