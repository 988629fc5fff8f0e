import StratusCommandLine

/// `stratus drive …`: the person's files on this machine.
enum DriveCommands {
    static let name = "drive"

    static func command(_ output: Output) -> Command {
        Command(
            name, summary: "Brings your files to this machine",
            subcommands: [DriveRunCommand.command(output), DriveMountCommand.command(output)]
                + DriveItemCommands.commands(output) + [DriveShareCommand.command(output)]
                + DrivePublishCommands.commands(output) + DriveServiceCommands.commands(output))
    }

    /// Whether these words name a command that runs until a signal stops it.
    static func takesSignals(_ words: [String]) -> Bool {
        words == [name, DriveMountCommand.name] || words == [name, DriveRunCommand.name]
    }
}
