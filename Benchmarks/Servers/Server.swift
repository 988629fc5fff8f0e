import Glibc

/// A server under load.
protocol Server: AnyObject {
    /// How the table names it.
    var name: String { get }
    var port: Int { get }
    /// The processes whose CPU time, with that of their children, is the server's.
    var processes: [pid_t] { get }
    /// Whether it is known to refuse some correct requests when many come at a time. They are not counted.
    var refusesUnderLoad: Bool { get }
    func stop()
}

extension Server {
    var refusesUnderLoad: Bool { false }

    /// Waits until something answers to a request, whatever it says.
    func awaitAnswer(_ path: String, log: String) throws {
        let patience = 60.0
        let start = Clock.now()
        while Clock.seconds(since: start) < patience {
            if (try? HTTP.send("GET", "http://127.0.0.1:\(port)\(path)")) != nil { return }
            usleep(20_000)
        }
        throw BenchmarkError("\(name) does not answer: \(Program.tail(of: log))")
    }
}
