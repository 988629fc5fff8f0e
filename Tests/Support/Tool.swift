import Foundation

/// The built command-line tool, run as a person or a script would.
public enum Tool {
    /// What a run left behind.
    public struct Run: Sendable, CustomStringConvertible {
        /// The arguments.
        public let arguments: [String]
        /// How it ended.
        public let ending: ChildProcess.Ending
        /// What it printed.
        public let output: String
        /// What it complained about.
        public let errors: String
        /// All of it, for messages of failed tests.
        public var description: String {
            "stratus \(arguments.joined(separator: " ")): \(ending)\n\(output)\n\(errors)"
        }
    }

    /// A run that did not end well.
    public struct Failure: Error, CustomStringConvertible {
        /// The run and what was wrong.
        public let description: String

        /// A failure in these words.
        public init(description: String) { self.description = description }
    }

    /// Where the tool is: `STRATUS_BINARY`, or beside the test program.
    public static let path = ProcessInfo.processInfo.environment["STRATUS_BINARY"] ?? beside("stratus")

    /// Where a program is that was built with the tests.
    public static func beside(_ name: String) -> String {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program ?? "").deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Servers refuse passwords when too many wait to be hashed, as those of hundreds of tests would.
    private static let passwords = Turns(8)

    /// Runs it to its end.
    public static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Run {
        guard arguments.contains("--password-stdin") else {
            return try await runNow(arguments, input: input, environment: environment)
        }
        await passwords.take()
        do {
            let run = try await runNow(arguments, input: input, environment: environment)
            await passwords.giveBack()
            return run
        } catch {
            await passwords.giveBack()
            throw error
        }
    }

    private static func runNow(
        _ arguments: [String], input: String, environment: [String: String]
    ) async throws -> Run {
        let process = try ChildProcess(path, arguments, input: input, environment: environment)
        let (output, errors) = await (process.standardOutput, process.standardError)
        return Run(arguments: arguments, ending: await process.ending, output: output, errors: errors)
    }

    /// Runs it with `--json` and reads the one object it prints.
    public static func json(_ arguments: [String], input: String = "") async throws -> JSON {
        let run = try await run(arguments + ["--json"], input: input)
        guard run.ending == .exited(0), let json = try? JSON(parsing: run.output), json.object != nil else {
            throw Failure(description: "no object from \(run)")
        }
        return json
    }
}
