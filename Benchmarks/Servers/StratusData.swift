import FoundationEssentials

/// A data directory with a container, an account and credentials.
struct StratusData {
    static let container = "iCloud.org.example.bench"
    private static let email = "bench@example.org"

    let path: String
    let environment: String
    let tool: StratusTool
    /// The API token as it stands in an address.
    let apiToken: String
    private let credentials: String
    /// Both as they are.
    let apiTokenText, webAuthToken: String

    /// Makes a new one.
    static func make(at path: String, _ indexes: Article.Indexes, tool: StratusTool) throws -> StratusData {
        try tool.run(["container", "create", container, "--create-data"], data: path)
        let password = "\(tool.directory)/password"
        try "only-for-this-run\n".write(toFile: password, atomically: false, encoding: .utf8)
        try tool.run(["account", "create", "--email", email, "--password-stdin"], data: path, input: password)
        if indexes == .production {
            let schema = "\(tool.directory)/schema.ckdb"
            try Article.schema.write(toFile: schema, atomically: false, encoding: .utf8)
            try tool.run(
                ["schema", "apply", "--container", container, "--environment", "production", schema], data: path)
        }
        return try StratusData(existing: path, indexes, tool: tool)
    }

    /// The same data as another person, who gets an account.
    func asAnother(_ email: String, _ indexes: Article.Indexes) throws -> StratusData {
        try tool.run(
            ["account", "create", "--email", email, "--password-stdin"], data: path,
            input: "\(tool.directory)/password")
        return try StratusData(existing: path, indexes, tool: tool, email: email)
    }

    /// Makes new credentials for an existing one.
    init(existing path: String, _ indexes: Article.Indexes, tool: StratusTool, email: String = Self.email) throws {
        struct Token: Decodable { var token: String }
        struct Session: Decodable { var webAuthToken: String }
        self.path = path
        self.tool = tool
        environment = indexes == .production ? "production" : "development"
        let context = ["--container", Self.container, "--environment", environment]
        let token = try tool.run(["token", "create"] + context, data: path, as: Token.self)
        let session = try tool.run(
            ["session", "create", "--email", email] + context, data: path, as: Session.self)
        // Both are made of characters that need no escape in an address.
        (apiTokenText, webAuthToken) = (token.token, session.webAuthToken)
        apiToken = "ckAPIToken=\(token.token)"
        credentials = "\(apiToken)&ckWebAuthToken=\(session.webAuthToken)"
    }

    /// Where an operation of a database is, with credentials.
    func path(_ operation: String, in database: String = "public") -> String {
        "/database/1/\(Self.container)/\(environment)/\(database)/\(operation)?\(credentials)"
    }

    /// Options that name the public database.
    var target: [String] { target("public") }

    /// Options that name a database.
    func target(_ database: String) -> [String] {
        ["--container", Self.container, "--environment", environment, "--database", database, "--email", Self.email]
    }
}
