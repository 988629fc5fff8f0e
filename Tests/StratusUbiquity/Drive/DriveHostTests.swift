import Foundation
import Glibc
import StratusTestSupport
import StratusWaiting
import Testing

@testable import StratusUbiquity

/// Apps that synchronize the files of their container while `stratus drive run` does not, as processes of their own.
@Suite struct DriveHostTests {
    private let tenant: Tenant
    private let machine: DriveMachine

    init() async throws {
        tenant = try await Tenant(in: try await Cloud.shared())
        machine = try DriveMachine(tenant, tenant.alice)
    }

    /// An app, and the container's directory.
    private func startApp(
        _ arguments: String..., variables: [String: String] = [:]
    ) async throws -> (process: ChildProcess, lines: AsyncStream<String>.Iterator) {
        let process = try ChildProcess(
            Tool.beside("StratusDriveClient"), arguments,
            environment: machine.environment.merging(variables) { $1 })
        var lines = process.lines.makeAsyncIterator()
        _ = await lines.next()
        return (process, lines)
    }

    /// Lets the app's container be the machine's directory.
    private func useDirectory() async throws {
        let agent = try await machine.startAgent()
        agent.send(SIGTERM)
        #expect(await agent.ending == .exited(0))
    }

    /// Waits until some process is the agent.
    private func waitForAgent() async throws {
        try await wait(for: "an agent") { try await machine.run("drive", "status").ending == .exited(0) }
    }

    @Test("an app synchronizes while nobody else does; when it is killed, another app goes on")
    func succession() async throws {
        try await useDirectory()
        try machine.write("hello", to: "a.txt")
        // The answer comes from the app itself, which begins to listen meanwhile.
        var (first, lines) = try await startApp("a.txt")
        #expect(await lines.next() == "asked")
        var (second, otherLines) = try await startApp("a.txt")
        #expect(await otherLines.next() == "asked")
        defer { for app in [first, second] { app.send(SIGKILL) } }
        try await machine.json("drive", "pin", "a.txt")

        let other = try DriveMachine(tenant, tenant.alice)
        let agent = try await other.startAgent()
        defer { agent.send(SIGKILL) }
        try await other.json("drive", "download", "a.txt")
        #expect(other.text("a.txt") == "hello")

        first.send(SIGKILL)
        #expect(await first.ending == .signalled(SIGKILL))
        try machine.write("more", to: "b.txt")
        try await waitForAgent()
        try await machine.json("drive", "pin", "b.txt")
        try await other.json("drive", "download", "b.txt")
        #expect(other.text("b.txt") == "more")
    }

    @Test("'stratus drive run' goes before apps, which go on when it ends")
    func handover() async throws {
        try await useDirectory()
        try machine.write("hello", to: "a.txt")
        var (app, lines) = try await startApp("a.txt")
        var (second, otherLines) = try await startApp("a.txt")
        defer { for app in [app, second] { app.send(SIGKILL) } }
        #expect(await lines.next() == "asked")
        #expect(await otherLines.next() == "asked")
        for _ in 0..<2 {
            let agent = try await machine.startAgent()
            defer { agent.send(SIGKILL) }
            try await machine.json("drive", "pin", "a.txt")
            // There is one.
            let third = try await machine.run("drive", "run")
            #expect(third.ending == .exited(1) && third.errors.contains("another process synchronizes"), "\(third)")
            agent.send(SIGTERM)
            #expect(await agent.ending == .exited(0))
            try await waitForAgent()
        }
    }

    @Test("a signal ends 'stratus drive run' also while it waits for an app")
    func signalWhileWaiting() async throws {
        try await useDirectory()
        let account = try #require(UbiquityAccount.current(machine.environment))
        let container = try #require(
            UbiquityContainer(tenant.container, of: account, variables: machine.environment))
        // An app that never gives up.
        let lock = try DriveAddress(container, variables: machine.environment).becomeAgent()
        let process = try ChildProcess(Tool.path, ["drive", "run"], environment: machine.environment)
        let address = DriveAddress(container, variables: machine.environment)
        try await wait(for: "the tool to announce itself") { try address.isTakenOver() }
        process.send(SIGTERM)
        #expect(await process.ending == .exited(0))
        withExtendedLifetime(lock) {}
    }

    @Test("an app does not synchronize if the environment says so")
    func off() async throws {
        try await useDirectory()
        try machine.write("hello", to: "a.txt")
        var (app, lines) = try await startApp("a.txt", variables: ["STRATUS_DRIVE_AGENT": "off"])
        defer { app.send(SIGKILL) }
        #expect(await lines.next() == "error \(CocoaError.Code.ubiquitousFileUbiquityServerNotAvailable.rawValue)")
        #expect(try await machine.refusal("drive", "status") == "NO_AGENT")
    }

    @Test("without an account nothing synchronizes")
    func signedOut() async throws {
        let app = try ChildProcess(
            Tool.beside("StratusDriveClient"), ["a.txt"],
            environment: machine.environment.merging(["STRATUS_WEB_AUTH_TOKEN": ""]) { $1 })
        #expect(await app.standardOutput == "nobody is signed in\n")
        #expect(await app.ending == .exited(1))
        #expect(!FileManager.default.fileExists(atPath: machine.home.path + "/.local/share/stratus/drive"))
    }

    @Test("an app ends its synchronization when the person signs out, and another person's app begins its own")
    func signOut() async throws {
        let machine = try await machine.signedIn(tenant, tenant.alice)
        let account = try #require(UbiquityAccount.current(machine.environment))
        let container = try #require(
            UbiquityContainer(tenant.container, of: account, variables: machine.environment))
        let address = DriveAddress(container, variables: machine.environment)
        let app = try ChildProcess(Tool.beside("StratusDriveClient"), [], environment: machine.environment)
        defer { app.send(SIGKILL) }
        try await wait(for: "an agent") { try await machine.run("drive", "status").ending == .exited(0) }
        #expect(try address.lock(address.agentPath, waits: false) == nil)

        let logout = try await machine.run("logout")
        try #require(logout.ending == .exited(0), "\(logout)")
        try await wait(for: "the agent to end") { try address.lock(address.agentPath, waits: false) != nil }
        let bob = try await machine.signedIn(tenant, tenant.bob)
        let other = try ChildProcess(Tool.beside("StratusDriveClient"), [], environment: bob.environment)
        defer { other.send(SIGKILL) }
        var lines = other.lines.makeAsyncIterator()
        #expect(await lines.next() != container.path)
        try await wait(for: "an agent") { try await bob.run("drive", "status").ending == .exited(0) }
        #expect(try address.lock(address.agentPath, waits: false) != nil)
    }
}
