import Foundation
import Glibc
import StratusTestSupport
import Testing

/// `stratus drive install` and `uninstall`, with a `systemctl` that notes what it is asked for.
@Suite struct DriveServiceTests {
    private let home: TemporaryDirectory
    private let environment: [String: String]
    private let container: String
    private let tenant: Tenant
    private var unit: String { "stratus-drive@\(container).service" }
    private var file: String { home.path + "/config/systemd/user/\(unit)" }

    init() async throws {
        tenant = try await Tenant.shared("Drive services")
        container = tenant.container
        home = try TemporaryDirectory()
        environment = [
            "HOME": home.path, "XDG_CONFIG_HOME": home.path + "/config", "XDG_DATA_HOME": "", "STRATUS_PROFILE": "",
            "PATH": home.path + "/bin:/usr/bin:/bin",
        ]
        try await signIn(environment)
    }

    private func signIn(_ environment: [String: String]) async throws {
        let login = try await Tool.run(
            [
                "login", tenant.cloud.server.url, "--container", container, "--api-token", tenant.apiToken, "--email",
                tenant.alice.email, "--password-stdin",
            ], input: tenant.alice.password + "\n", environment: environment)
        try #require(login.ending == .exited(0), "\(login)")
    }

    private func makeSystemctl(_ script: String) throws {
        let url = try home.file("bin/systemctl")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("#!/bin/sh\necho \"$@\" >> '\(home.path)/asked'\n\(script)\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
    }

    private func run(_ arguments: String..., variables: [String: String] = [:]) async throws -> Tool.Run {
        try await Tool.run(["drive"] + arguments, environment: environment.merging(variables) { $1 })
    }

    private var asked: [String] {
        let bytes = FileManager.default.contents(atPath: home.path + "/asked") ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func theUnitIsWrittenAndStartedAndRemovedAgain() async throws {
        try makeSystemctl("exit 0")
        let installed = try await run("install", "--dir", home.path + "/my 100% files", "--placeholders", "--json")
        let json = try JSON(parsing: installed.output)
        #expect(json["isEnabled"] == true && json["unit"].string == unit && json["path"].string == file, "\(installed)")
        #expect(json["directory"].string == home.path + "/my 100% files")
        #expect(asked == ["--user daemon-reload", "--user enable \(unit)", "--user restart \(unit)"])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\"drive\" \"run\" \"--container\" \"\(container)\" \"--placeholders\"\n"), "\(text)")
        #expect(text.contains("Environment=\"XDG_CONFIG_HOME=\(home.path)/config\"\n"))

        #expect(try await run("uninstall").output == "removed \(unit)\n")
        #expect(asked.dropFirst(3).contains("--user disable --now \(unit)"))
        #expect(!FileManager.default.fileExists(atPath: file))
        let again = try await run("uninstall", "--json")
        #expect(try JSON(parsing: again.errors)["error"].string == "NOT_FOUND")
    }

    @Test func theUnitOfAnEarlierVersionIsReplaced() async throws {
        try makeSystemctl("exit 0")
        let profile = ["STRATUS_PROFILE": "work"]
        try await signIn(environment.merging(profile) { $1 })
        let folder = home.path + "/config/systemd/user/"
        let (former, now) = ("stratus-drive@\(container)-work.service", "stratus-drive@\(container):work.service")
        let files = FileManager.default
        for command in ["install", "uninstall"] {
            #expect(try await run("install", variables: profile).ending == .exited(0))
            try files.moveItem(atPath: folder + now, toPath: folder + former)
            let count = asked.count
            #expect(try await run(command, variables: profile).ending == .exited(0))
            #expect(!files.fileExists(atPath: folder + former))
            #expect(files.fileExists(atPath: folder + now) == (command == "install"))
            #expect(asked.dropFirst(count).contains("--user disable --now \(former)"))
        }
    }

    @Test func withoutSystemdTheCommandSaysWhatToDo() async throws {
        try makeSystemctl("echo 'Failed to connect to bus: No medium found' >&2; exit 1")
        let installed = try await run("install")
        #expect(installed.ending == .exited(0) && installed.output == "wrote \(file)\n", "\(installed)")
        #expect(installed.errors.contains("systemctl --user enable --now '\(unit)'"))
        #expect(installed.errors.contains("stratus drive run --container \(container)"))
        #expect(asked == ["--user daemon-reload"])
        #expect(try await run("uninstall").ending == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aServiceThatDoesNotStartIsAFailure() async throws {
        try makeSystemctl("case \"$2\" in restart) echo 'Job failed.' >&2; exit 1;; esac")
        let installed = try await run("install", "--json")
        #expect(installed.ending == .exited(1))
        let error = try JSON(parsing: installed.errors)
        #expect(error["error"].string == "SYSTEMD" && error["reason"].string?.contains("Job failed.") == true)
    }

    @Test func aTokenOfTheEnvironmentIsNotWrittenDown() async throws {
        try makeSystemctl("exit 0")
        let refused = try await run("install", "--json", variables: ["STRATUS_WEB_AUTH_TOKEN": "secret"])
        #expect(refused.ending == .exited(1))
        #expect(try JSON(parsing: refused.errors)["error"].string == "AUTHENTICATION_REQUIRED")
        #expect(asked.isEmpty && !FileManager.default.fileExists(atPath: file))
    }

    @Test func theAgentReportsThatItHasStarted() async throws {
        let path = home.path + "/notify"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        let agent = try ChildProcess(
            Tool.path, ["drive", "run", "--dir", home.path + "/files"],
            environment: environment.merging(["NOTIFY_SOCKET": path, "XDG_RUNTIME_DIR": home.runtimeDirectory()]) { $1 }
        )
        defer { agent.send(SIGKILL) }
        let message = try await onThread {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
        #expect(message == "READY=1")
    }
}
