import Glibc

/// Memory of a server that has nothing to do, on a large data directory.
struct IdleMeasure {
    let bench: Bench

    private static let greatestSize = 30.0
    /// Seconds after which a server that has started is idle.
    private static let rest: UInt32 = 3

    func findings() throws -> [Finding] {
        let server = try Stratus(try bench.dataSets.articles(bench.settings.records))
        defer { server.stop() }
        sleep(Self.rest)
        let size = ProcessTree.residentSize(server.processes[0])
        let name = "Stratus, \(bench.settings.records) records"
        return [Finding("idle memory", name, size, "MiB").judged("≤ 30 MiB", size <= Self.greatestSize)]
    }
}
