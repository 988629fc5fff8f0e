import FoundationEssentials
import Glibc

/// A whole run.
enum Run {
    private static let missed: Int32 = 3

    static func all(_ settings: Settings) throws -> Int32 {
        guard access(settings.stratus, X_OK) == 0 else {
            throw BenchmarkError("\(settings.stratus) is missing: build it with 'swift build -c release'")
        }
        let bench = try Bench(settings)
        var report = Report(
            date: Date().formatted(.iso8601), machine: Machine.describe(settings.directory),
            versions: Machine.versions(settings), settings: [describe(settings)], findings: [], failures: [])
        for measure in Measure.allCases where settings.wants(measure.rawValue) {
            do {
                report.findings += try measure.carryOut(bench)
            } catch {
                report.failures.append("\(measure.rawValue): \(error)")
                Progress.say("\(measure.rawValue) failed: \(error)")
            }
        }
        bench.stopKinto()
        print(report.text)
        if let file = settings.json { try report.json.write(toFile: file, atomically: true, encoding: .utf8) }
        return report.isGood ? 0 : missed
    }

    private static func describe(_ settings: Settings) -> String {
        "Settings: \(settings.rounds) interleaved rounds of \(settings.seconds) s, medians; "
            + "\(Settings.connections) connections; the load generator (wrk) shares the machine"
            + (settings.isQuick ? "; quick, so no verdict counts" : "")
    }
}
