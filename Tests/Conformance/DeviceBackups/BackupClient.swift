import Foundation
import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport

/// A device of a person with an app password, which talks restic's REST protocol or lets restic do so.
struct BackupClient: Sendable {
    let cloud: Cloud
    let email: String
    let password: String
    let device: String
    /// What restic and the tool keep: settings, keys, caches.
    let home: TemporaryDirectory

    /// A new person's device.
    init(in cloud: Cloud, device: String = "laptop", mayDelete: Bool = false) async throws {
        let email = Unique.name("ada") + "@example.org"
        try await cloud.makeAccount(email, password: "correct horse")
        try await self.init(of: email, in: cloud, device: device, mayDelete: mayDelete)
    }

    /// Another device, or another app password, of a person.
    init(of email: String, in cloud: Cloud, device: String = "laptop", mayDelete: Bool = false) async throws {
        self.cloud = cloud
        self.email = email
        self.device = device
        password = try await Self.appPassword(of: email, in: cloud, mayDelete: mayDelete)
        home = try TemporaryDirectory()
    }

    static func appPassword(of email: String, in cloud: Cloud, mayDelete: Bool = false) async throws -> String {
        let arguments = ["account", "app-password", "create", "--email", email, "--name", Unique.name("device")]
        let made = try await cloud.tool(arguments + (mayDelete ? ["--allow-delete"] : []))
        guard let password = made["password"].string else { throw Tool.Failure(description: "no password in \(made)") }
        return password
    }

    // MARK: - By hand

    private static let http = HTTPClient()

    /// - Parameter credentials: nil sends none.
    func send(
        _ method: String, _ path: String, body: [UInt8] = [], headers: HTTPHeaders = [:],
        credentials: (email: String, password: String)?
    ) async throws -> HTTPClientResponse {
        var headers = headers
        if let credentials {
            let text = Base64.string(Array("\(credentials.email):\(credentials.password)".utf8))
            headers.append("Authorization", "Basic \(text)")
        }
        return try await Self.http.send(
            HTTPClientRequest(method: method, url: "\(cloud.server.url)/backup/\(path)", headers: headers, body: body))
    }

    /// Sends a request about this device.
    func send(
        _ method: String, _ path: String, body: [UInt8] = [], headers: HTTPHeaders = [:]
    ) async throws -> HTTPClientResponse {
        try await send(method, "\(device)/\(path)", body: body, headers: headers, credentials: (email, password))
    }

    // MARK: - By the tools

    var variables: [String: String] {
        [
            "HOME": home.path, "XDG_DATA_HOME": "\(home.path)/data", "XDG_CACHE_HOME": "\(home.path)/cache",
            "XDG_CONFIG_HOME": "\(home.path)/config",
        ]
    }

    /// Runs a command of `stratus device`.
    func run(_ arguments: String..., input: String = "") async throws -> Tool.Run {
        try await Tool.run(
            ["device"] + arguments + ["--device", device], input: input, environment: variables)
    }

    /// How a run of restic ended.
    struct Ended: CustomStringConvertible {
        let ending: ChildProcess.Ending
        let output: String
        let errors: String
        var description: String { "restic: \(ending)\n\(output)\n\(errors)" }
    }

    /// Runs restic on the device's backup, with the key that the tool keeps.
    /// - Parameter server: The address of another server that has the backup; nil for that of the cloud.
    func restic(_ arguments: String..., server: String? = nil) async throws -> Ended {
        let settings = try JSON(
            parsing: try String(contentsOfFile: "\(home.path)/data/stratus/backup/\(device).json", encoding: .utf8))
        let url = (server ?? cloud.server.url).replacing(
            "http://", with: "http://\(email.replacing("@", with: "%40")):\(password)@")
        let process = try ChildProcess(
            "/usr/bin/env", ["restic"] + arguments,
            environment: variables.merging([
                "RESTIC_PASSWORD": settings["recoveryKey"].string ?? "",
                "RESTIC_REPOSITORY": "rest:\(url)/backup/\(device)/",
            ]) { $1 })
        let (output, errors) = await (process.standardOutput, process.standardError)
        return Ended(ending: await process.ending, output: output, errors: errors)
    }

    /// Whether every byte of the backup is undamaged, as restic finds.
    func isWhole(on server: String? = nil) async throws -> Bool {
        let run = try await restic("check", "--read-data", "--no-lock", server: server)
        return run.ending == .exited(0)
    }
}
