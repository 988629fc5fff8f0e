import Foundation
import Testing

/// `stratus container delete`, on the data of a stopped server and of a running one.
@Suite struct ContainerDeletionTests {
    @Test(arguments: CommandTests.Mode.allCases)
    func aContainerGoesWithEverythingInIt(_ mode: CommandTests.Mode) async throws {
        let tool = try Tool()
        let server = mode == .running ? try await RunningServer(tool) : nil
        for container in [Tool.container, "iCloud.other"] { try await tool.succeed("container", "create", container) }
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        let other = ["--container", "iCloud.other", "--environment", "development", "--database", "public"]
        for database in [Tool.publicDatabase, other] {
            try await tool.succeed("record", "save", "r", "--type", "T", "--field", "a=1", context: database)
        }
        let mine = Tool.context + ["--database", "private", "--email", "a@example.org"]
        try await tool.succeed("record", "save", "p", "--type", "T", context: mine)
        try await tool.succeed("token", "create", context: Tool.context)

        let asked = try await tool.run(["container", "delete", Tool.container])
        #expect(asked.status == 2, "nobody can be asked")
        let loss = /development: [2-9] records and 0 bytes of assets of 1 users, 1 tokens and keys/
        #expect(asked.errors.contains(loss), "\(asked.errors)")
        #expect(try await tool.succeed("container", "list").output.contains(Tool.container))

        let deleted = try await tool.succeed("container", "delete", Tool.container, "--yes", "--json").object()
        #expect(deleted["deleted"] as? String == Tool.container)
        #expect(try await tool.succeed("container", "list").output == "iCloud.other\n")
        #expect(try await tool.run(["export", "--all"] + Tool.publicDatabase).status == 1)
        #expect(try await tool.run(["container", "delete", Tool.container, "--yes"]).status == 1)
        #expect(try await tool.succeed("account", "list").output == "a@example.org\n")
        #expect(try await tool.succeed("record", "get", "r", context: other).status == 0)

        // One of the same name has nothing of it.
        try await tool.succeed("container", "create", Tool.container)
        #expect(try await tool.succeed("export", "--all", context: Tool.publicDatabase).output.isEmpty)
        #expect(try await tool.succeed("export", "--all", context: mine).output.isEmpty)
        #expect(try await tool.succeed("token", "list", context: Tool.context).output == "\n")
        #expect(!(try await tool.succeed("schema", "show", context: Tool.context).output.contains("TYPE T ")))
        try await tool.succeed("record", "save", "r", "--type", "T", "--field", "a=text", context: Tool.publicDatabase)
        withExtendedLifetime(server) {}
    }
}
