import FoundationEssentials

/// A person's files on a server, over WebDAV.
struct StratusFiles {
    let server: Stratus
    /// The person.
    let person: StratusData
    private let password: String

    private static let email = "files@example.org"

    private struct AppPassword: Decodable { var password: String }

    /// Creates the person, who has no files yet, while no server runs.
    init(_ data: StratusData, serve: (StratusData) throws -> Stratus) throws {
        person = try data.asAnother(Self.email, .development)
        password = try data.tool.run(
            [
                "account", "app-password", "create", "--email", Self.email, "--name", "bench", "--environment",
                data.environment,
            ], data: data.path, as: AppPassword.self
        ).password
        server = try serve(data)
    }

    /// A new server with a person who has no files.
    init(in directory: TemporaryDirectory, _ bench: Bench) throws {
        try self.init(try StratusData.make(at: "\(directory.path)/data", .development, tool: bench.tool)) {
            try Stratus($0)
        }
    }

    /// Saves empty files in a new folder.
    func makeFiles(_ count: Int, in folder: String) throws {
        func operation(_ name: String, _ fields: String) -> String {
            #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"StratusFile","fields":{\#(fields)}}}"#
        }
        try save([operation(folder, #""kind":{"value":"folder"},"name":{"value":"\#(folder)"}"#)])
        let place = #""folder":{"value":{"recordName":"\#(folder)","action":"DELETE_SELF"}}"#
        for start in stride(from: 0, to: count, by: Settings.batch) {
            try save(
                (start..<min(start + Settings.batch, count)).map {
                    operation(
                        "\(folder)-\($0)", #""kind":{"value":"file"},"name":{"value":"file \#($0)"},\#(place)"#)
                })
        }
    }

    private func save(_ operations: [String]) throws {
        let answer = try HTTP.expect(
            "POST", "http://127.0.0.1:\(server.port)\(person.path("records/modify", in: "private"))",
            headers: ["Content-Type: application/json"],
            body: #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"_files"}}"#)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard !text.contains("serverErrorCode") else { throw BenchmarkError("files: \(text.prefix(500))") }
    }

    /// The path of the person's files.
    var path: String { "/dav/\(StratusData.container)/" }

    /// Signs a request in.
    var authorization: String {
        "Basic " + Data("\(Self.email):\(password)".utf8).base64EncodedString()
    }

    /// An address with the credentials in it.
    func url(_ name: String) -> String {
        let email = Self.email.replacing("@", with: "%40")
        return "http://\(email):\(password)@127.0.0.1:\(server.port)\(path)\(name)"
    }
}
