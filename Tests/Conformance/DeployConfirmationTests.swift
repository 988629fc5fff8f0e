import Foundation
import StratusTestSupport
import Testing

/// `stratus schema deploy` as a person has it, who sees the difference and is asked.
@Suite("Deployments at a terminal")
struct DeployConfirmationTests {
    private let tenant: Tenant

    init() async throws { tenant = try await Tenant(in: try await Cloud.shared()) }

    private var target: [String] { ["--container", tenant.container, "--data", tenant.cloud.directory.path] }

    /// Adds record types to development.
    private func add(_ types: String...) async throws {
        let file = tenant.cloud.directory.path + "/" + Unique.name("schema")
        let text = types.map { "RECORD TYPE \($0) (text STRING);" }.joined(separator: "\n")
        try "DEFINE SCHEMA \(text)".write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await Tool.run(["schema", "apply", file, "--environment", "development"] + target)
        try #require(run.ending == .exited(0), "\(run)")
    }

    /// Deploys, and answers the question with a word after something else happened.
    /// - Returns: the exit code, and what the terminal showed.
    private func deploy(
        answering word: String, meanwhile: () async throws -> Void = {}
    ) async throws -> (status: Int32, shown: String) {
        let terminal = try Terminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = ["schema", "deploy"] + target
        process.standardInput = terminal.inside
        process.standardError = terminal.inside
        process.standardOutput = terminal.inside
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = {
                // Who still waits for a question has an end of it.
                try? terminal.inside.close()
                continuation.yield($0.terminationStatus)
                continuation.finish()
            }
        }
        try process.run()
        await terminal.wait(for: "Type 'yes' to continue: ")
        try #require(terminal.shown.hasSuffix("Type 'yes' to continue: "), "\(terminal.shown)")
        try await meanwhile()
        terminal.type(word + "\n")
        // To its end: nothing ends with what nobody writes.
        await terminal.wait(for: "\0")
        var status: Int32 = -1
        for await code in ended { status = code }
        return (status, terminal.shown)
    }

    private func deployments() async throws -> Int {
        let words = ["schema", "history", "--environment", "production", "--container", tenant.container]
        return try #require(try await tenant.cloud.tool(words)["history"].array).count
    }

    @Test("The difference is shown before the question; only yes deploys it, and only while it is the same")
    func asked() async throws {
        try await add("First")
        let no = try await deploy(answering: "no")
        #expect(no.status == 1 && no.shown.contains("+ RECORD TYPE First"), "\(no.shown)")
        #expect(no.shown.contains("nothing was done"), "\(no.shown)")
        #expect(try await deployments() == 0)

        let late = try await deploy(answering: "yes") { try await add("Second") }
        #expect(late.status == 1 && !late.shown.contains("Second"), "\(late.shown)")
        #expect(late.shown.contains("the schema has changed since the changes were shown"), "\(late.shown)")
        #expect(try await deployments() == 0)

        let yes = try await deploy(answering: "yes")
        #expect(yes.status == 0 && yes.shown.contains("+ RECORD TYPE Second"), "\(yes.shown)")
        #expect(yes.shown.contains("deployed"))
        #expect(try await deployments() == 1)
    }
}
