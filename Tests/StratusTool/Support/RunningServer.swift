import Foundation
import StratusWorkers
import Testing

/// `stratus serve` as a process on a free port.
final class RunningServer: Sendable {
    private let process: Process
    private let output: LineReader
    private let log: LineReader
    private let end: Task<Int32, any Error>
    let baseURL: String

    /// Starts it and waits until it says that it listens.
    convenience init(_ tool: Tool, _ options: [String] = []) async throws {
        try await self.init(tool.data.path(), tool, options)
    }

    /// Starts it on the data of a directory.
    init(_ data: String, _ tool: Tool, _ options: [String] = []) async throws {
        process = Process()
        let executable = try #require(Tool.executable)
        process.executableURL = executable
        process.arguments = ["serve", "--data", data, "--port", "0"] + options
        let pipe = Pipe()
        process.standardOutput = pipe
        let errors = Pipe()
        process.standardError = errors
        output = LineReader(pipe.fileHandleForReading)
        log = LineReader(errors.fileHandleForReading)
        end = Task { [process] in try await process.runToEnd() }
        let line = try await output.next()
        guard let text = line else {
            let reason = try await log.next()
            throw StartFailure(reason: reason ?? "no reason")
        }
        try #require(text.hasPrefix("listening on http"))
        baseURL = String(text.dropFirst("listening on ".count))
    }

    deinit { send(SIGKILL) }

    /// The next line on standard output; nil at the end.
    func line() async throws -> String? { try await output.next() }

    /// The next line of the log; nil at the end.
    func logLine() async throws -> String? { try await log.next() }

    /// Not when it has ended: whoever has its number then is somebody else.
    func send(_ signal: Int32) { if process.isRunning { kill(process.processIdentifier, signal) } }

    /// Sends a signal and returns the exit status.
    func end(by signal: Int32) async throws -> Int32 {
        send(signal)
        return try await end.value
    }

    /// Why a server does not listen.
    struct StartFailure: Error {
        let reason: String
    }
}

/// The lines of a pipe.
final class LineReader: Sendable {
    private let handle: FileHandle
    private let pool = WorkerPool(threads: 1)
    private let rest = Lock(Data())

    init(_ handle: FileHandle) { self.handle = handle }

    func next() async throws -> String? {
        let (handle, rest) = (handle, rest)
        return try await pool.run {
            while true {
                let line = rest.withLock { rest -> String? in
                    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                    defer { rest = Data(rest[rest.index(after: end)...]) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                if let line { return line }
                let more = handle.availableData
                guard !more.isEmpty else { return nil }
                rest.withLock { $0.append(more) }
            }
        }
    }
}
