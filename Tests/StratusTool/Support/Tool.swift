import Foundation
import StratusWorkers
import Testing

/// The built tool as its users have it: a process, with a data directory of its own.
final class Tool: Sendable {
    /// What a run of the tool left.
    struct Run {
        let status: Int32
        let output: String
        let errors: String

        /// The one JSON object on standard output.
        func object(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
            try parsed(output, sourceLocation)
        }

        /// The one JSON object on standard error.
        func errorObject(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
            try parsed(errors, sourceLocation)
        }

        private func parsed(_ text: String, _ sourceLocation: SourceLocation) throws -> [String: Any] {
            let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
            return try #require(value as? [String: Any], "no object: \(text) \(errors)", sourceLocation: sourceLocation)
        }
    }

    static let container = "iCloud.org.example.tool"
    /// Beside the tests' own executable.
    static let executable = Bundle.main.executableURL.map {
        $0.deletingLastPathComponent().appending(path: "stratus")
    }

    let folder: URL
    let data: URL

    /// `depth` further directories make the path of the data long.
    init(depth: Int = 0) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "stratus-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        data = (0..<depth).reduce(folder) { url, _ in url.appending(path: "directory") }.appending(path: "data")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path() }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: name))
        return path(name)
    }

    /// Runs `stratus ARGUMENTS --data …`, or another program, and waits for its end.
    /// - Parameter createsData: whether commands that make the first things of a cloud may make its data directory.
    func run(
        _ arguments: [String], createsData: Bool = true, input: String = "", environment: [String: String] = [:],
        program: URL? = executable
    ) async throws -> Run {
        let process = Process()
        let executable = try #require(program)
        process.executableURL = executable
        let first = ["container", "account", "developer"]
        let isFirst = createsData && program == Self.executable && arguments.first.map(first.contains) ?? false
        process.arguments = arguments + (isFirst ? ["--create-data"] : [])
        process.environment = environment.merging(["STRATUS_DATA": data.path()]) { given, _ in given }
        let name = UUID().uuidString
        let files = ["in", "out", "err"].map { folder.appending(path: "\(name).\($0)") }
        for (file, text) in zip(files, [input, "", ""]) { try Data(text.utf8).write(to: file) }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let status = try await process.runToEnd()
        return Run(
            status: status, output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    }

    /// A run that must succeed.
    @discardableResult
    func succeed(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Run {
        let run = try await run(arguments, input: input)
        try #require(run.status == 0, "\(arguments): \(run.errors)", sourceLocation: sourceLocation)
        return run
    }

    /// Options that name the container in development.
    static let context = ["--container", container, "--environment", "development"]
    /// Options that name its public database.
    static let publicDatabase = context + ["--database", "public"]
}

extension Process {
    /// Starts the process and waits for its end without blocking a thread.
    func runToEnd() async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try run()
            } catch {
                terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
