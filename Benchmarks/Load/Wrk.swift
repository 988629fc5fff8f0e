import FoundationEssentials

/// The load generator.
enum Wrk {
    /// What it counted.
    struct Result: Codable {
        var requests: Int
        /// Microseconds.
        var duration: Double
        var bytes: Double
        /// Milliseconds.
        var p50, p99, longest: Double
        var failures: Int

        /// Requests that succeeded.
        var successes: Int { requests - failures }
        /// Successful ones only.
        var perSecond: Double { Double(successes) / duration * 1e6 }
        var bytesPerRequest: Double { bytes / Double(max(requests, 1)) }
    }

    private static let marker = "RESULT "

    /// Loads a server until the process is ended; what becomes of the requests is of no interest.
    static func flood(_ script: LoadScript, port: Int, in directory: String) throws -> ChildProcess {
        let command = try command(
            script, in: "\(directory)/flood.lua", port: port, seconds: 3_600, connections: Settings.connections)
        return try ChildProcess(command, log: "\(directory)/flood.log")
    }

    private static func command(
        _ script: LoadScript, in file: String, port: Int, seconds: Int, connections: Int
    ) throws -> [String] {
        try script.text.write(toFile: file, atomically: false, encoding: .utf8)
        return [
            "wrk", "-t\(min(Settings.threads, connections))", "-c\(connections)", "-d\(seconds)s",
            "--timeout", "30s", "--latency", "-s", file, "http://127.0.0.1:\(port)/",
        ]
    }

    /// Loads a server for some seconds.
    /// - Parameters:
    ///   - script: Lua for wrk, which is given ``LoadScript``'s frame.
    ///   - connections: Kept open and busy all the time.
    ///   - mayFail: Whether failed requests are only left out of the count.
    /// - Throws: If a request failed that may not.
    static func run(
        _ script: LoadScript, port: Int, seconds: Int, in directory: String,
        connections: Int = Settings.connections, mayFail: Bool = false
    ) throws -> Result {
        let file = "\(directory)/load.lua"
        let output = try Program.run(
            try command(script, in: file, port: port, seconds: seconds, connections: connections),
            log: "\(directory)/wrk.log")
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix(marker) }) else {
            throw BenchmarkError("wrk gave no result: \(output)")
        }
        let result = try JSONDecoder().decode(Result.self, from: Data(line.dropFirst(marker.count).utf8))
        guard mayFail || result.failures == 0, result.successes > 0 else {
            throw BenchmarkError("\(result.failures) of \(result.requests) requests failed: \(output)")
        }
        return result
    }
}
