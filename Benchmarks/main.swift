import Glibc
import StratusCommandLine

Cleanup.install()
let status = await Settings.command(Run.all).execute(
    Array(CommandLine.arguments.dropFirst()), output: { print($0) }, errors: Progress.write)
Cleanup.run()
exit(status)
