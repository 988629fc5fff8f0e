import Glibc

/// The server under test.
final class Stratus: Server {
    let name: String
    let port: Int
    let data: StratusData
    /// Seconds from its start until it said that it listens.
    let secondsToReady: Double
    private let child: ChildProcess

    static let headers = ["Content-Type": "application/json"]

    /// - Parameter options: further ones of `serve`.
    init(_ data: StratusData, name: String = "Stratus", options: [String] = []) throws {
        self.name = name
        self.data = data
        child = try ChildProcess(
            [data.tool.binary, "serve", "--data", data.path, "--port", "0"] + options, log: data.tool.log,
            readsOutput: true)
        guard let line = child.readLine(), let digits = line.split(separator: ":").last, let port = Int(digits) else {
            throw BenchmarkError("stratus does not serve: \(Program.tail(of: data.tool.log))")
        }
        secondsToReady = Clock.seconds(since: child.started)
        self.port = port
    }

    var processes: [pid_t] { [child.pid] }
    func stop() { child.end() }

    func post(_ operation: String, _ body: String, in database: String = "public") throws -> HTTP.Response {
        try HTTP.expect(
            "POST", "http://127.0.0.1:\(port)\(data.path(operation, in: database))",
            headers: ["Content-Type: application/json"],
            body: body)
    }

    /// Creates of articles with random names, one a request or many.
    func creates(_ count: Int, as user: StratusData? = nil) -> LoadScript {
        let operations = repeatElement(Article.operation, count: count).joined(separator: ",")
        return LoadScript(
            method: "POST", path: (user ?? data).path("records/modify"), headers: Self.headers,
            body: "{\"operations\":[\(operations)]}")
    }

    /// Lookups of single records of a data set.
    func lookups(of names: [String], as user: StratusData? = nil) -> LoadScript {
        let bodies = names.map { #"{"records":[{"recordName":"\#($0)"}]}"# }
        let path = (user ?? data).path("records/lookup")
        return LoadScript(
            method: "POST", paths: bodies.map { _ in path }, headers: Self.headers, bodies: bodies)
    }

    /// Pages of articles in order of their counts, from these counts on.
    func pages(from counts: [Int], as user: StratusData? = nil) -> LoadScript {
        let path = (user ?? data).path("records/query")
        return LoadScript(
            method: "POST", paths: counts.map { _ in path }, headers: Self.headers, bodies: counts.map(Self.page))
    }

    static func page(from count: Int) -> String {
        """
        {"query":{"recordType":"\(Article.recordType)","filterBy":[{"fieldName":"count",\
        "comparator":"GREATER_THAN_OR_EQUALS","fieldValue":{"value":\(count)}}],\
        "sortBy":[{"fieldName":"count","ascending":true}]},"resultsLimit":\(Settings.batch)}
        """
    }
}
