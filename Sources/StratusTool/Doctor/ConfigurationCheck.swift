import Glibc
import StratusCloudServer
import StratusTelemetry

/// Reads a configuration as `stratus serve` does, without making or starting anything.
enum ConfigurationCheck {
    /// - Returns: the settings, as far as they can be read.
    static func run(_ path: String?, _ directory: DataDirectory, _ report: inout DoctorReport) -> ServeSettings? {
        guard let path else { return nil }
        do throws(ToolError) {
            let settings = try ConfigurationFile.read(path)
            let directory = settings.data.map { DataDirectory(path: $0) } ?? directory
            try ServerProcess.check(settings, directory)
            report.add("configuration", .ok, path)
            return settings
        } catch {
            report.add("configuration", .failed, error.message)
            return nil
        }
    }
}
