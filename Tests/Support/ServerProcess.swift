import Foundation

/// A running `stratus serve` on a free port of the loopback interface.
public final class ServerProcess: Sendable {
    /// A server that ended before it was ready.
    public struct StartFailure: Error, CustomStringConvertible {
        /// How it ended.
        public let ending: ChildProcess.Ending
        /// What it complained about.
        public let errors: String
        /// Both.
        public var description: String { "the server did not start: \(ending)\n\(errors)" }
    }

    /// `http://127.0.0.1:PORT`
    public let url: String
    private let process: ChildProcess

    /// Starts a server and waits until it listens.
    /// - Parameter arguments: further ones; on a port that is free unless they say which.
    /// - Throws: ``StartFailure`` if it ends instead.
    public init(data: String, arguments: [String] = []) async throws {
        let port = arguments.contains("--port") ? [] : ["--port", "0"]
        process = try ChildProcess(Tool.path, ["serve", "--data", data, "--host", "127.0.0.1"] + port + arguments)
        let announcement = "listening on "
        for await line in process.lines {
            guard let range = line.firstRange(of: announcement) else { continue }
            url = String(line[range.upperBound...].prefix { !$0.isWhitespace })
            return
        }
        url = ""
        throw StartFailure(ending: await process.ending, errors: await process.standardError)
    }

    deinit { process.send(SIGKILL) }

    /// Asks it to stop.
    public func terminate() { process.send(SIGTERM) }

    /// Ends it without warning.
    public func kill() { process.send(SIGKILL) }

    /// Forgets what ``peakMemory`` was, but for what is resident now.
    public func resetPeakMemory() throws {
        // 5 resets the peak: proc(5).
        try "5".write(toFile: "/proc/\(process.id)/clear_refs", atomically: false, encoding: .utf8)
    }

    /// The most resident memory that it had, in KiB.
    public var peakMemory: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }

    /// Waits for its end.
    public var ending: ChildProcess.Ending { get async { await process.ending } }

    /// Its log, when it has ended.
    public var log: String { get async { await process.standardOutput + process.standardError } }
}
