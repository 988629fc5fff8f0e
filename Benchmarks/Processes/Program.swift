import FoundationEssentials

/// Programs that are run to their end.
enum Program {
    /// Runs a program.
    /// - Parameter log: Takes its standard error; its last lines go into the error.
    /// - Returns: Its standard output.
    @discardableResult
    static func run(_ arguments: [String], log: String, input: String = "/dev/null") throws -> String {
        let child = try ChildProcess(arguments, log: log, input: input, readsOutput: true)
        let output = child.readAll()
        let status = child.wait()
        guard status == 0 else {
            throw BenchmarkError("\(arguments.prefix(3).joined(separator: " ")) ended with \(status): \(tail(of: log))")
        }
        return output
    }

    /// The first line of what a program says of its version, nil if it cannot be run.
    static func version(_ arguments: [String]) -> String? {
        guard
            let child = try? ChildProcess(
                ["sh", "-c", "exec \"$@\" 2>&1", "sh"] + arguments, log: "/dev/null", readsOutput: true)
        else { return nil }
        let output = child.readAll()
        // wrk tells its version with status 1; a shell says with 126 and 127 that there is no such program.
        guard child.wait() < 126 else { return nil }
        return output.split(separator: "\n").first.map(String.init)
    }

    /// The end of a log file, for error messages.
    static func tail(of log: String) -> String {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return "see \(log)" }
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }
}
