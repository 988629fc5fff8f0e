import Foundation
import StratusTestSupport
import Testing

/// `stratus account password` as an operator has it who sits at a terminal.
@Suite("A new password at a terminal")
struct AccountPasswordTests {
    private let tenant: Tenant

    init() async throws { tenant = try await Tenant(in: try await Cloud.shared()) }

    /// - Returns: the exit code, and what the terminal showed.
    private func set(_ password: String, again: String) async throws -> (status: Int32, shown: String) {
        let terminal = try Terminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = [
            "account", "password", "--email", tenant.alice.email, "--data", tenant.cloud.directory.path,
        ]
        process.standardInput = terminal.inside
        process.standardError = terminal.inside
        process.standardOutput = terminal.inside
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = {
                // Whoever still waits for a question has an end of it.
                try? terminal.inside.close()
                continuation.yield($0.terminationStatus)
                continuation.finish()
            }
        }
        try process.run()
        for (question, answer) in [("New password: ", password), ("New password again: ", again)] {
            await terminal.wait(for: question)
            try #require(terminal.shown.hasSuffix(question), "\(terminal.shown)")
            #expect(!terminal.showsWhatIsTyped)
            terminal.type(answer + "\n")
        }
        await terminal.wait(for: "\0")
        var status: Int32 = -1
        for await code in ended { status = code }
        return (status, terminal.shown)
    }

    @Test("It is asked for twice and never shown; then all sessions have ended")
    func asked() async throws {
        let database = tenant.database(
            "public", .user(apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken))
        let different = try await set("battery staple", again: "battery stable")
        #expect(different.status == 1 && different.shown.contains("do not match"), "\(different.shown)")
        #expect(try await database.get("users/caller").status == 200)
        let done = try await set("battery staple", again: "battery staple")
        #expect(done.status == 0 && done.shown.contains("has a new password"), "\(done.shown)")
        #expect(!different.shown.contains("battery") && !done.shown.contains("battery"))
        #expect(try await database.get("users/caller").status == 421)
    }
}
