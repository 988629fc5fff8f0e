import Foundation
import Testing
import Workers

/// `stratus serve` as a process on a free port.
final class RunningServer: Sendable {
    private let process: Process
    private let output: LineReader
    private let end: Task<Int32, any Error>
    let baseURL: String

    /// Starts it and waits until it says that it listens.
    init(_ tool: Tool, _ options: [String] = []) async throws {
        process = Process()
        process.executableURL = try #require(Tool.executable)
        process.arguments = ["serve", "--data", tool.data.path(), "--port", "0"] + options
        let pipe = Pipe()
        process.standardOutput = pipe
        let log = tool.folder.appending(path: "log")
        try Data().write(to: log)
        process.standardError = try FileHandle(forWritingTo: log)
        output = LineReader(pipe.fileHandleForReading)
        end = Task { [process] in try await process.runToEnd() }
        let line = try await output.next()
        let errors = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        let text = try #require(line, "\(errors)")
        try #require(text.hasPrefix("listening on http"))
        baseURL = String(text.dropFirst("listening on ".count))
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// The next line on standard output; nil at the end.
    func line() async throws -> String? { try await output.next() }

    /// Sends a signal and returns the exit status.
    func end(by signal: Int32) async throws -> Int32 {
        kill(process.processIdentifier, signal)
        return try await end.value
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
