import StratusCloudAssets
import StratusCloudServer
import StratusCloudStore
import StratusCommandLine

/// `stratus doctor`
enum DoctorCommand {
    private static let config = Option.optional(
        "config", .file, help: "Checks this configuration of 'stratus serve', too")
    private static let quick = Option.flag(
        "quick", help: "Looks at counts and a sample of each database instead of reading everything: some seconds")
    private static let repair = Option.flag(
        "repair", help: "Makes anew what is made of the records: indexes, references as targets know them, counts")

    static func command(_ output: Output) -> Command {
        Command(
            "doctor", summary: "Checks the configuration, the machine and all data",
            discussion:
                "Looks at the configuration (with --config), at who may reach the files, at the disk and the clock, "
                + "reads all data as 'stratus verify' does, the bytes of assets included, and checks that schemas can "
                + "be read, and that records, names, indexes, references, counts and assets fit together. The server "
                + "goes on meanwhile; with --repair saves may wait for moments.\n\n"
                + "What is damaged itself, a record or the bytes of an asset, cannot be repaired: restore a backup.\n\n"
                + "Exit codes: 0 if nothing is wrong, or all was repaired; 1 if something is wrong; 2 for a wrong "
                + "command line. Warnings change nothing.",
            options: [config, quick, repair], output: output
        ) { context, values throws(ToolError) in
            guard !values[quick] || !values[repair] else { throw .usage("--quick repairs nothing: leave out --repair") }
            var report = DoctorReport()
            let settings = ConfigurationCheck.run(values[config], context.directory, &report)
            let reserve = UInt64(clamping: (settings?.assets ?? AssetLimitSettings()).reservedSpace)
            let directory = DataDirectory(
                path: values[ToolContext.Common.data] ?? settings?.data ?? context.directory.path)
            DirectoryChecks(directory: directory, reserve: reserve).run(&report)
            if StoreEngine.existing(in: directory.path) == nil {
                report.add("store", .failed, "there is no data in \(directory.path)")
            } else {
                await StoreChecks(
                    directory: directory, repairs: values[repair], isQuick: values[quick], output: context.output
                ).run(&report)
            }
            try context.output.result(report, text: report.text)
            return report.healthy ? .success : .failure
        }
    }
}
