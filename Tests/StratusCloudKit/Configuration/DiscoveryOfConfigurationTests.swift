import CloudKit
import StratusDeviceCredentials
import StratusTestSupport
import Testing

/// Where a real program finds its cloud.
@Suite struct DiscoveryOfConfigurationTests {
    private let tenant: Tenant
    private let home: TemporaryDirectory

    init() async throws {
        tenant = try await Tenant.shared("Discovery")
        home = try TemporaryDirectory()
    }

    /// What a program says its default container and its user are.
    private func program(
        at path: String = Tool.beside("StratusTestClient"), _ more: [String: String] = [:],
        _ arguments: [String] = ["account"]
    ) async throws -> String {
        let none = [
            "STRATUS_URL": "", "STRATUS_CONTAINER": "", "STRATUS_API_TOKEN": "", "STRATUS_WEB_AUTH_TOKEN": "",
            "STRATUS_PROFILE": "", "STRATUS_ENVIRONMENT": "", "XDG_CONFIG_HOME": home.path,
        ]
        let process = try ChildProcess(path, arguments, environment: none.merging(more) { $1 })
        return await process.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func write(_ person: Tenant.Person, to path: String) throws {
        let text = """
            {"url": "\(tenant.cloud.server.url)", "apiToken": "\(tenant.apiToken)",
             "webAuthToken": "\(person.webAuthToken)", "containers": ["\(tenant.container)"]}
            """
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func signIn(_ person: Tenant.Person, _ more: [String] = []) async throws {
        let run = try await Tool.run(
            [
                "login", tenant.cloud.server.url, "--container", tenant.container, "--api-token", tenant.apiToken,
                "--email", person.email, "--password-stdin",
            ] + more, input: person.password + "\n", environment: ["XDG_CONFIG_HOME": home.path, "STRATUS_PROFILE": ""])
        try #require(run.ending == .exited(0), "\(run)")
    }

    @Test func nothingIsSaidByName() async throws {
        #expect(try await program() == "- -", "nobody is signed in anywhere")
    }

    @Test func aSignInIsEnoughAndAFileGoesBeforeIt() async throws {
        try await signIn(tenant.alice)
        #expect(try await program() == "\(tenant.container) \(tenant.alice.userRecordName)")
        try write(tenant.bob, to: home.path + "/stratus/stratus.json")
        #expect(try await program() == "\(tenant.container) \(tenant.bob.userRecordName)")
        let environment = ["STRATUS_WEB_AUTH_TOKEN": tenant.alice.webAuthToken]
        #expect(try await program(environment) == "\(tenant.container) \(tenant.alice.userRecordName)")
    }

    @Test func profilesOfSignIns() async throws {
        try await signIn(tenant.alice)
        try await signIn(tenant.bob, ["--profile", "work"])
        #expect(try await program(["STRATUS_PROFILE": "work"]).hasSuffix(tenant.bob.userRecordName))
        #expect(try await program().hasSuffix(tenant.alice.userRecordName))
    }

    @Test func theFileBesideTheExecutableGoesBeforeTheUsers() async throws {
        let copy = home.path + "/bin/StratusTestClient"
        try write(tenant.bob, to: home.path + "/bin/stratus.json")
        try write(tenant.alice, to: home.path + "/stratus/stratus.json")
        try FileManager.default.copyItem(atPath: Tool.beside("StratusTestClient"), toPath: copy)
        #expect(try await program(at: copy) == "\(tenant.container) \(tenant.bob.userRecordName)")
        #expect(try await program() == "\(tenant.container) \(tenant.alice.userRecordName)")
    }

    @Test func whatTheProgramSaysGoesBeforeEverything() async throws {
        try await signIn(tenant.alice)
        let environment = ["STRATUS_WEB_AUTH_TOKEN": tenant.alice.webAuthToken]
        let bob = ["use", tenant.cloud.server.url, tenant.container, tenant.apiToken, tenant.bob.webAuthToken]
        let (first, second) = (tenant.alice.userRecordName, tenant.bob.userRecordName)
        let expected = ["\(tenant.container) \(first)", "changed", "\(tenant.container) \(second)", "changed"]
        let lines = try await program(environment, bob).split(separator: "\n").map(String.init)
        #expect(lines == expected + expected.prefix(1))
    }
}
