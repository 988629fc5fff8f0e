import Glibc

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
    /// - Throws: ``StartFailure`` if it ends instead.
    public init(data: String, arguments: [String] = []) async throws {
        process = try ChildProcess(
            Tool.path, ["serve", "--data", data, "--host", "127.0.0.1", "--port", "0"] + arguments)
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

    /// Waits for its end.
    public var ending: ChildProcess.Ending { get async { await process.ending } }

    /// Its log, when it has ended.
    public var log: String { get async { await process.standardOutput + process.standardError } }
}
