import Foundation
import Testing

/// A folder with a store that other processes write.
final class WrittenStore {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-test-\(UUID())")
    var path: String { folder.appendingPathComponent("shared.sqlite").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts a process that writes the store.
    func writer(_ arguments: String...) throws -> StoreWriter {
        try StoreWriter([arguments[0], path] + arguments.dropFirst())
    }
}

/// A process that writes a store.
final class StoreWriter {
    private let process = Process()
    private let output = Pipe()
    private var printed = Data()

    init(_ arguments: [String]) throws {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = executable.deletingLastPathComponent().appendingPathComponent("StratusStoreWriter")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits until the process has printed a number of bytes, or has ended.
    func wait(forBytes count: Int) {
        while printed.count < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return }
            printed.append(more)
        }
    }

    /// Kills the process and returns the lines that it has printed.
    func kill() throws -> [String] {
        Glibc.kill(process.processIdentifier, SIGKILL)
        let lines = readToEnd()
        try #require(process.terminationReason == .uncaughtSignal, "the writer ended by itself: \(lines.suffix(2))")
        return lines
    }

    /// Waits for the end of the process and returns the lines that it has printed.
    func finish() throws -> [String] {
        let lines = readToEnd()
        try #require(
            process.terminationReason == .exit && process.terminationStatus == 0, "the writer: \(lines.suffix(2))")
        return lines
    }

    private func readToEnd() -> [String] {
        printed.append(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
