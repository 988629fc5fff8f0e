import Foundation
import StratusCloudCrypto

/// A server on a data directory of its own, and what the tool can make in it.
public final class Cloud: Sendable {
    /// Where the server keeps everything.
    public let directory: TemporaryDirectory
    /// The server that runs.
    public let server: ServerProcess

    /// A new, empty cloud.
    /// - Parameter arguments: Further arguments of the server.
    public convenience init(arguments: [String] = []) async throws {
        try await self.init(directory: try TemporaryDirectory(), arguments: arguments)
    }

    /// The cloud in a directory where another server ran before.
    public init(directory: TemporaryDirectory, arguments: [String] = []) async throws {
        self.directory = directory
        server = try await ServerProcess(data: directory.path, arguments: arguments)
    }

    /// A new, empty cloud whose server sends mail, though the mail server is never there: mail waits in its queue.
    public static func withMail() async throws -> Cloud {
        // Mail needs the server's address, which is only known when it has a port; and the port is anybody's between
        // the first server's end and the second's start.
        for _ in 1..<10 {
            do { return try await restartedWithMail() } catch is ServerProcess.StartFailure { continue }
        }
        return try await restartedWithMail()
    }

    private static func restartedWithMail() async throws -> Cloud {
        let first = try await Cloud()
        let url = first.server.url
        first.server.terminate()
        _ = await first.server.ending
        return try await Cloud(
            directory: first.directory,
            arguments: [
                "--port", String(url.split(separator: ":").last ?? "0"), "--public-url", url, "--smtp-host",
                "127.0.0.1",
                "--smtp-port", "1", "--smtp-security", "none", "--mail-from", "cloud@example.org", "--mail-per-day",
                "100000",
            ])
    }

    /// One server that suites without special needs share; it lives as long as the tests.
    public static func shared() async throws -> Cloud { try await sharedTask.value }
    private static let sharedTask = Task { try await Cloud() }

    /// Runs the tool on this cloud's data.
    public func tool(_ arguments: [String], input: String = "") async throws -> JSON {
        try await Tool.json(arguments + ["--data", directory.path], input: input)
    }

    /// Makes a container.
    public func makeContainer(_ identifier: String) async throws {
        _ = try await tool(["container", "create", identifier])
    }

    /// Makes an account.
    public func makeAccount(_ email: String, password: String) async throws {
        _ = try await tool(["account", "create", "--email", email, "--password-stdin"], input: password + "\n")
    }

    /// Makes an API token.
    public func makeToken(_ container: String, _ environment: String = "development") async throws -> String {
        let made = try await tool(["token", "create", "--container", container, "--environment", environment])
        return try made.text("token")
    }

    /// Signs an account in and gives its web auth token and its user record name.
    public func makeSession(
        _ email: String, _ container: String, _ environment: String = "development"
    ) async throws -> (webAuthToken: String, userRecordName: String) {
        let made = try await tool(
            ["session", "create", "--email", email, "--container", container, "--environment", environment])
        return (try made.text("webAuthToken"), try made.text("userRecordName"))
    }

    /// Makes a server-to-server key.
    public func makeKey(_ container: String, _ environment: String = "development") async throws -> Credential {
        let output = directory.path + "/" + Unique.name("key") + ".pem"
        let made = try await tool(
            ["key", "create", "--container", container, "--environment", environment, "--output", output])
        let file = try made.text("privateKeyFile")
        let pem = try String(contentsOfFile: file, encoding: .utf8)
        return .key(id: try made.text("keyID"), try P256PrivateKey(pem: pem))
    }
}

extension JSON {
    /// The string member `key` of what the tool printed.
    fileprivate func text(_ key: String) throws -> String {
        guard let text = self[key].string else { throw Tool.Failure(description: "no '\(key)' in \(self)") }
        return text
    }
}
