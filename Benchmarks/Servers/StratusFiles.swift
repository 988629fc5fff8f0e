import FoundationEssentials

/// A person's files on a server, over WebDAV.
struct StratusFiles {
    let server: Stratus
    private let password: String

    private static let email = "files@example.org"

    private struct AppPassword: Decodable { var password: String }

    /// Creates the person, who has no files yet.
    static func prepare(_ data: StratusData) throws -> String {
        try data.tool.run(
            ["account", "create", "--email", email, "--password-stdin"], data: data.path,
            input: "\(data.tool.directory)/password")
        return try data.tool.run(
            [
                "account", "app-password", "create", "--email", email, "--name", "bench", "--environment",
                data.environment,
            ],
            data: data.path, as: AppPassword.self
        ).password
    }

    /// Saves empty files in a folder, while no server runs: the tool imports their records.
    static func makeFiles(_ count: Int, in folder: String, _ data: StratusData) throws {
        func line(_ name: String, _ fields: String) -> String {
            #"{"recordName":"\#(name)","recordType":"StratusFile","zoneID":{"zoneName":"_files"},"fields":{\#(fields)}}"#
        }
        func text(_ name: String, _ value: String) -> String {
            #""\#(name)":{"value":"\#(value)","type":"STRING"}"#
        }
        let inFolder = #""folder":{"value":{"recordName":"\#(folder)","action":"DELETE_SELF"},"type":"REFERENCE"}"#
        var lines = [line(folder, text("kind", "folder") + "," + text("name", folder))]
        lines += (0..<count).map {
            line("\(folder)-\($0)", text("kind", "file") + "," + text("name", "file \($0)") + "," + inFolder)
        }
        let file = "\(data.tool.directory)/files.jsonl"
        try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
        try data.tool.run(
            [
                "import", "--container", StratusData.container, "--environment", data.environment, "--database",
                "private", "--email", email, file,
            ], data: data.path)
    }

    init(on server: Stratus, password: String) {
        self.server = server
        self.password = password
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
