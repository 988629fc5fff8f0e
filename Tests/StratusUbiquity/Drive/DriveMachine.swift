import Foundation
import StratusTestSupport
import Testing

/// A home on which a person is signed in to a real server, with programs that use it.
struct DriveMachine {
    let home: TemporaryDirectory
    private(set) var environment: [String: String]
    /// The directory of the container.
    let directory: String

    init(_ tenant: Tenant, _ person: Tenant.Person) throws {
        home = try TemporaryDirectory()
        directory = home.path + "/files"
        environment = [
            "HOME": home.path, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "",
            "XDG_RUNTIME_DIR": try home.runtimeDirectory(), "STRATUS_URL": tenant.cloud.server.url,
            "STRATUS_CONTAINER": tenant.container, "STRATUS_API_TOKEN": tenant.apiToken,
            "STRATUS_WEB_AUTH_TOKEN": person.webAuthToken,
        ]
    }

    /// The same home, with a person who has signed in with `stratus login`.
    func signedIn(_ tenant: Tenant, _ person: Tenant.Person) async throws -> DriveMachine {
        var machine = self
        machine.environment["STRATUS_WEB_AUTH_TOKEN"] = ""
        let login = try await Tool.run(
            [
                "login", tenant.cloud.server.url, "--container", tenant.container, "--api-token", tenant.apiToken,
                "--email", person.email, "--password-stdin",
            ], input: person.password + "\n", environment: machine.environment)
        guard login.ending == .exited(0) else { throw Tool.Failure(description: "\(login)") }
        return machine
    }

    func path(_ name: String) -> String { directory + "/" + name }

    func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Starts `stratus drive run` and waits until it synchronizes.
    func startAgent(_ options: String...) async throws -> ChildProcess {
        let process = try ChildProcess(
            Tool.path, ["drive", "run", "--dir", directory] + options, environment: environment)
        var lines = process.lines.makeAsyncIterator()
        guard await lines.next() != nil else { throw Tool.Failure(description: await process.standardError) }
        return process
    }

    func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(arguments, environment: environment)
    }

    /// The object that a command prints.
    @discardableResult
    func json(_ arguments: String...) async throws -> JSON {
        let run = try await Tool.run(arguments + ["--json"], environment: environment)
        guard run.ending == .exited(0) else { throw Tool.Failure(description: "\(run)") }
        return try JSON(parsing: run.output)
    }

    /// The code with which a command is refused.
    func refusal(_ arguments: String...) async throws -> String? {
        let run = try await Tool.run(arguments + ["--json"], environment: environment)
        #expect(run.ending != .exited(0), "\(run)")
        return try JSON(parsing: run.errors)["error"].string
    }
}
