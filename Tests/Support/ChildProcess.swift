import Foundation
import Glibc
import StratusWorkers

/// A program that a test started. It is killed when the test process ends.
public final class ChildProcess: Sendable {
    /// How a program ended.
    public enum Ending: Hashable, Sendable {
        /// It left with this status.
        case exited(Int32)
        /// This signal killed it.
        case signalled(Int32)
    }

    /// Why a program did not start.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        /// What failed.
        public let description: String
    }

    /// Its process identifier.
    public let id: pid_t
    /// The lines of its standard output as they come; to be read by one task.
    public let lines: AsyncStream<String>

    private let output = Once<String>()
    private let errors = Once<String>()
    private let ended = Once<Ending>()
    private let isOver = Lock(false)
    /// Only one process is started at a time, with its pipes, so that none inherits the pipes of another: whoever
    /// reads one waits until all who inherited its other end are gone.
    private static let starting = Lock<Void>(())

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - input: What it reads on standard input, at most 64 KiB.
    ///   - environment: Variables beside those of this process.
    public init(
        _ path: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (ended, output, errors, isOver) = (ended, output, errors, isOver)
        process.terminationHandler = { process in
            isOver.withLock { $0 = true }
            Leftovers.remove(process: process.processIdentifier)
            let status = process.terminationStatus
            ended.arrive(process.terminationReason == .exit ? .exited(status) : .signalled(status))
        }
        let (standardOutput, standardError) = try Self.starting.withLock { _ in
            let (standardInput, standardOutput, standardError) = (Self.pipe(), Self.pipe(), Self.pipe())
            process.standardInput = standardInput
            process.standardOutput = standardOutput
            process.standardError = standardError
            try Self.withoutBlockedSignals { try process.run() }
            try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try? standardInput.fileHandleForWriting.close()
            return (standardOutput, standardError)
        }
        id = process.processIdentifier
        // Not when it has ended already: its number is another's before long.
        let started = id
        isOver.withLock { if !$0 { Leftovers.add(process: started) } }
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        Self.read(standardOutput.fileHandleForReading) { text, line in
            if let line { continuation.yield(line) } else { continuation.finish() }
            if let text { output.arrive(text) }
        }
        Self.read(standardError.fileHandleForReading) { text, _ in
            if let text { errors.arrive(text) }
        }
    }

    /// A pipe that processes which are started elsewhere meanwhile do not inherit.
    private static func pipe() -> Pipe {
        let pipe = Pipe()
        for file in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }

    /// Runs `body` so that a program it starts gets all signals: it inherits what the thread blocks, as those of pools do.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// Waits for its end.
    public var ending: Ending {
        get async {
            let ending = await ended.value
            Leftovers.remove(process: id)
            return ending
        }
    }

    /// Everything it wrote to standard output, when that is closed.
    public var standardOutput: String { get async { await output.value } }

    /// Everything it wrote to standard error, when that is closed.
    public var standardError: String { get async { await errors.value } }

    /// Sends it a signal, unless it has ended: whoever has its number then is somebody else.
    public func send(_ signal: Int32) { isOver.withLock { if !$0 { kill(id, signal) } } }

    /// Reads a file on a thread of its own: each line as it comes, in the end the whole text.
    private static func read(
        _ file: FileHandle, deliver: @escaping @Sendable (_ text: String?, _ line: String?) -> Void
    ) {
        let descriptor = file.fileDescriptor
        let keeper = HandleKeeper(file)
        Thread.detachNewThread {
            var all: [UInt8] = []
            var lineStart = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                all.append(contentsOf: buffer[..<count])
                while let end = all[lineStart...].firstIndex(of: 0x0A) {
                    deliver(nil, String(decoding: all[lineStart..<end], as: UTF8.self))
                    lineStart = end + 1
                }
            }
            keeper.close()
            deliver(String(decoding: all, as: UTF8.self), nil)
        }
    }
}

/// Keeps a file open until the thread that reads it is done.
///
/// `@unchecked Sendable`: only `close` touches the handle, and it is called once.
private final class HandleKeeper: @unchecked Sendable {
    private let file: FileHandle

    init(_ file: FileHandle) { self.file = file }

    func close() { try? file.close() }
}
