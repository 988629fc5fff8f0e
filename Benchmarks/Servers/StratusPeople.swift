import FoundationEssentials

/// People with accounts in a data directory, and what they ask of its server.
struct StratusPeople {
    private struct Session: Decodable {
        var webAuthToken: String
        var userRecordName: String
    }

    /// One person's credentials, as they stand in an address.
    let credentials: [String]
    private let server: Stratus

    /// Makes accounts, which takes a while: passwords are hashed.
    init(_ count: Int, on server: Stratus) throws {
        let data = server.data
        let context = ["--container", StratusData.container, "--environment", data.environment]
        let password = "\(data.tool.directory)/password"
        try "only-for-this-run\n".write(toFile: password, atomically: false, encoding: .utf8)
        var credentials: [String] = []
        for number in 0..<count {
            let email = "person\(number)@example.org"
            try data.tool.run(
                ["account", "create", "--email", email, "--password-stdin"], data: data.path, input: password)
            let session = try data.tool.run(
                ["session", "create", "--email", email] + context, data: data.path, as: Session.self)
            credentials.append("\(data.apiToken)&ckWebAuthToken=\(session.webAuthToken)")
        }
        self.credentials = credentials
        self.server = server
    }

    /// Where an operation is, for one person.
    func path(_ operation: String, of person: Int, scope: String = "public") -> String {
        "/database/1/\(StratusData.container)/\(server.data.environment)/\(scope)/\(operation)?\(credentials[person])"
    }

    func post(_ operation: String, of person: Int, scope: String = "public", _ body: String) throws -> String {
        let response = try HTTP.expect(
            "POST", "http://127.0.0.1:\(server.port)\(path(operation, of: person, scope: scope))", body: body)
        let text = String(decoding: response.body, as: UTF8.self)
        guard !text.contains("serverErrorCode") else { throw BenchmarkError("\(operation): \(text.prefix(500))") }
        return text
    }

    /// Makes devices of a person: the paths they poll or listen at.
    func devices(_ count: Int, of person: Int) throws -> [(poll: String, events: String)] {
        struct Registration: Decodable { var webcourierURL, eventStreamURL: String }
        func path(_ address: String) -> String { String(address.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }) }
        return try (0..<count).map { _ in
            let text = try post("tokens/create", of: person, "{}")
            let made = try JSONDecoder().decode(Registration.self, from: Data(text.utf8))
            return (path(made.webcourierURL), path(made.eventStreamURL))
        }
    }

    /// One `subscriptions/modify` for as many queries as fit; each is a type and perhaps a value of its title.
    func subscribe(_ queries: [(type: String, title: String?)], of person: Int) throws {
        for start in stride(from: 0, to: queries.count, by: Settings.batch) {
            let operations = queries[start..<min(queries.count, start + Settings.batch)].map { query in
                let filter = query.title.map {
                    #","filterBy":[{"comparator":"EQUALS","fieldName":"title","fieldValue":{"value":"\#($0)"}}]"#
                }
                return
                    #"{"operationType":"create","subscription":{"subscriptionType":"query","query":{"#
                    + #""recordType":"\#(query.type)"\#(filter ?? "")},"notificationInfo":{"alertBody":"!"}}}"#
            }
            _ = try post("subscriptions/modify", of: person, #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
    }
}
