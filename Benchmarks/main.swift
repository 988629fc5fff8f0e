import CommandLine
import Glibc

Cleanup.install()
let status = await Settings.command(Run.all).execute(
    Array(Swift.CommandLine.arguments.dropFirst()), output: { print($0) }, errors: Progress.write)
Cleanup.run()
exit(status)
