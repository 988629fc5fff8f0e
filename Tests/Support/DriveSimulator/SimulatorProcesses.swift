import Foundation
import StratusTestSupport

/// Processes that share the histories. The agents of one process coordinate with each other, so they would wait for each
/// other most of the time.
enum SimulatorProcesses {
    private static let variable = "STRATUS_DRIVE_PROCESSES"

    /// `STRATUS_DRIVE_PROCESSES`, or as many as the machine has processors.
    static var count: Int {
        let information = ProcessInfo.processInfo
        return information.environment[variable].flatMap { Int($0) } ?? information.activeProcessorCount
    }

    /// Runs the histories of seeds.
    /// - Returns: What the processes with a history that fails have written.
    static func failures(_ seeds: Range<UInt64>, in count: Int) async throws -> [String] {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let size = (seeds.count + count - 1) / count
        let processes = try stride(from: 0, to: seeds.count, by: max(1, size)).map { offset in
            try ChildProcess(
                program, [],
                environment: [
                    variable: "1", "STRATUS_DRIVE_FIRST": "\(seeds.lowerBound + UInt64(offset))",
                    "STRATUS_DRIVE_HISTORIES": "\(min(size, seeds.count - offset))",
                ])
        }
        var failures: [String] = []
        for process in processes where await process.ending != .exited(0) {
            failures.append(await process.standardOutput + process.standardError)
        }
        return failures
    }
}
