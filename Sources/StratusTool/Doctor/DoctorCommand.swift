import StratusCloudAssets
import StratusCloudServer
import StratusCloudStore
import StratusCommandLine

/// `stratus doctor`
enum DoctorCommand {
    private static let config = Option.optional(
        "config", .file, help: "Also checks this configuration file of 'stratus serve'")
    private static let quick = Option.flag(
        "quick", help: "Checks counts and a sample of each database instead of all data; takes seconds")
    private static let repair = Option.flag(
        "repair", help: "Rebuilds what is derived from records: indexes, reverse references and counts")

    static func command(_ output: Output) -> Command {
        Command(
            "doctor", summary: "Checks the configuration, the machine and all data",
            discussion:
                "Checks the configuration (with --config), the permissions of files, the disk and the clock. Reads "
                + "all data as 'stratus verify' does, including assets, and checks that schemas are valid and that "
                + "records, names, indexes, references, counts and assets are consistent. The server keeps running; "
                + "with --repair, saves may be delayed.\n\n"
                + "Damaged records and assets cannot be repaired: restore a backup.\n\n"
                + "Exit codes: 0 if nothing is wrong or everything was repaired, 1 if something is wrong, 2 for a "
                + "wrong command line. Warnings do not change the exit code.",
            options: [config, quick, repair], output: output
        ) { context, values throws(ToolError) in
            guard !values[quick] || !values[repair] else { throw .usage("--quick and --repair exclude each other") }
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
