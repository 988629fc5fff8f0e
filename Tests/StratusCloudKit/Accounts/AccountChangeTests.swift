import CloudKit
import StratusDeviceCredentials
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// A program that runs while another process signs its user in and out.
@Suite struct AccountChangeTests {
    private let tenant: Tenant
    private let home: TemporaryDirectory

    init() async throws {
        tenant = try await Tenant.shared("AccountChanges")
        home = try TemporaryDirectory()
    }

    private var file: CredentialsFile { CredentialsFile(directory: home.path + "/stratus/accounts") }

    private func container(profile: String = "default", apiToken: String? = nil) -> CKContainer {
        CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: tenant.cloud.server.url, apiToken: apiToken, profile: profile,
                credentialsDirectory: file.directory))
    }

    private func tool(_ arguments: [String], _ person: Tenant.Person? = nil) async throws {
        let environment = [
            "XDG_CONFIG_HOME": home.path, "STRATUS_URL": tenant.cloud.server.url,
            "STRATUS_CONTAINER": tenant.container, "STRATUS_API_TOKEN": tenant.apiToken, "STRATUS_PROFILE": "",
        ]
        let more = person.map { ["--email", $0.email, "--password-stdin"] } ?? []
        let run = try await Tool.run(
            arguments + more, input: person.map { $0.password + "\n" } ?? "", environment: environment)
        try #require(run.ending == .exited(0), "\(run)")
    }

    /// Waits until the program has heard that its account is another, and it is so.
    private func changed(
        _ changes: inout NotificationCenter.Notifications.Iterator, until isSo: () async throws -> Bool
    ) async throws {
        repeat { _ = await changes.next() } while try await !isSo()
    }

    @Test func runningProgramsHearOfSignInsAndSignOuts() async throws {
        let container = container()
        var changes = NotificationCenter.default.notifications(named: .CKAccountChanged).makeAsyncIterator()
        #expect(try await container.accountStatus() == .noAccount)
        #expect(await code { _ = try await container.userRecordID() } == .notAuthenticated)

        try await tool(["login"], tenant.alice)
        try await changed(&changes) { try await container.accountStatus() == .available }
        #expect(try await container.userRecordID().recordName == tenant.alice.userRecordName)
        let database = container.privateCloudDatabase
        try await database.save(note(Unique.name("mine")))

        // Another person, through the same objects.
        try await tool(["login"], tenant.bob)
        try await changed(&changes) {
            try await container.userRecordID().recordName == tenant.bob.userRecordName
        }
        try await tool(["logout"])
        try await changed(&changes) { try await container.accountStatus() == .noAccount }
        #expect(await code { try await database.save(note("x")) } == .notAuthenticated)
    }

    @Test func profilesAreApart() async throws {
        let (home, work) = (container(profile: "home"), container(profile: "work"))
        var changes = NotificationCenter.default.notifications(named: .CKAccountChanged).makeAsyncIterator()
        #expect(try await home.accountStatus() == .noAccount)
        try await tool(["login", "--profile", "work"], tenant.bob)
        try await changed(&changes) { try await work.accountStatus() == .available }
        #expect(try await home.accountStatus() == .noAccount)
        try await tool(["login", "--profile", "home"], tenant.alice)
        try await changed(&changes) { try await home.accountStatus() == .available }
        #expect(try await work.userRecordID().recordName == tenant.bob.userRecordName)
    }

    @Test func aSessionThatEndsOnTheServerIsNoticed() async throws {
        try await tool(["login"], tenant.alice)
        let container = container()
        #expect(try await container.accountStatus() == .available)
        let token = try #require(try file.read().sessions(of: "default").first).webAuthToken
        _ = try await tenant.database("public", .none).send(
            "POST", path: "/sign-out", body: Array("ckWebAuthToken=\(token)".utf8))
        #expect(await code { _ = try await container.privateCloudDatabase.allRecordZones() } == .notAuthenticated)
        #expect(try await container.accountStatus() == .noAccount)
    }

    @Test func credentialsThatOthersCanReadAreRefusedByName() async throws {
        try await tool(["login"], tenant.alice)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let container = container(apiToken: tenant.apiToken)
        do {
            _ = try await container.privateCloudDatabase.allRecordZones()
            Issue.record("the credentials were used")
        } catch {
            #expect((error as? CKError)?.code == .notAuthenticated || (error as? CKError)?.code == .badContainer)
        }
    }

    // MARK: Renewed tokens

    private func age(_ change: (inout StoredSession) -> Void = { _ in }) throws -> StoredSession {
        var session = try #require(try file.read().sessions(of: "default").first)
        session.renewed = 0
        change(&session)
        _ = try file.update { $0.add(session, to: "default") }
        return session
    }

    @Test func aRenewedTokenIsWrittenBack() async throws {
        try await tool(["login"], tenant.alice)
        let old = try age()
        let (writes, continuation) = AsyncStream<Void>.makeStream()
        let watch = FileWatch(file.path) { continuation.yield() }
        _ = try await container().privateCloudDatabase.allRecordZones()
        for await _ in writes {
            let session = try #require(try file.read().sessions(of: "default").first)
            guard session.webAuthToken != old.webAuthToken else { continue }
            #expect(session.identity == old.identity && session.renewed > 0)
            break
        }
        withExtendedLifetime(watch) {}
    }

    @Test func aTokenThatAnotherProcessRenewedIsTaken() async throws {
        try await tool(["login"], tenant.alice)
        let container = container()
        #expect(try await container.accountStatus() == .available)
        let fresh = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container)
        let old = try #require(try file.read().sessions(of: "default").first)
        let (writes, continuation) = AsyncStream<Void>.makeStream()
        let watch = FileWatch(file.path) { continuation.yield() }
        _ = try age { $0.webAuthToken = fresh.webAuthToken }
        for await _ in writes { break }
        // The session that the program began with ends; it has the other one by now, or by the next question.
        _ = try await tenant.database("public", .none).send(
            "POST", path: "/sign-out", body: Array("ckWebAuthToken=\(old.webAuthToken)".utf8))
        var status = try await container.accountStatus()
        while status != .available { status = try await container.accountStatus() }
        #expect(try await container.userRecordID().recordName == tenant.alice.userRecordName)
        withExtendedLifetime(watch) {}
    }

    @Test func whatAPersonWroteIsNeverWritten() async throws {
        let path = home.path + "/stratus.json"
        let text = """
            {"url": "\(tenant.cloud.server.url)", "apiToken": "\(tenant.apiToken)",
             "webAuthToken": "\(tenant.alice.webAuthToken)", "containers": ["\(tenant.container)"]}
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let reader = ConfigurationReader(variables: ["STRATUS_CONFIG": path], files: []) {
            try Data(contentsOf: URL(fileURLWithPath: $0))
        }
        var configuration = try reader.configuration()
        configuration.credentialsDirectory = file.directory
        let container = CKContainer(identifier: tenant.container, configuration: configuration)
        #expect(try await container.userRecordID().recordName == tenant.alice.userRecordName)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        #expect(!FileManager.default.fileExists(atPath: file.directory))
    }
}
