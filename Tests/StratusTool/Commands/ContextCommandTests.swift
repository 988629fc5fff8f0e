import Foundation
import Testing

/// What a command works on: its options, else the environment, else the context that was set.
@Suite struct ContextCommandTests {
    private func run(
        _ tool: Tool, _ arguments: [String], _ environment: [String: String] = [:], data: String? = nil
    ) async throws -> Tool.Run {
        var variables = environment
        variables["XDG_CONFIG_HOME"] = tool.path("config")
        if let data { variables["STRATUS_DATA"] = data }
        return try await tool.run(arguments, environment: variables)
    }

    @Test func optionsComeBeforeVariablesBeforeTheContext() async throws {
        let tool = try Tool()
        for name in ["iCloud.a", "iCloud.b", "iCloud.c"] { try await tool.succeed("container", "create", name) }
        let set = ["context", "set", "--container", "iCloud.a", "--environment", "development", "--database", "public"]
        #expect(
            try await run(tool, set).output
                == "the context is container iCloud.a, environment development, database public\n")

        let saved = try await run(tool, ["record", "save", "r", "--type", "T"])
        #expect(saved.status == 0, "\(saved.errors)")
        #expect(
            saved.errors
                == "using container iCloud.a, environment development, database public (from the context)\n")
        let variable = ["STRATUS_CONTAINER": "iCloud.b"]
        let other = try await run(tool, ["record", "save", "r", "--type", "T"], variable)
        #expect(
            other.errors == "using container iCloud.b, environment development, database public "
                + "(from STRATUS_CONTAINER and the context)\n")
        let named = try await run(tool, ["record", "save", "r", "--type", "T"] + Self.all("iCloud.c"), variable)
        #expect(named.status == 0 && named.errors.isEmpty)
        for container in ["iCloud.a", "iCloud.b", "iCloud.c"] {
            let got = try await tool.run(["record", "get", "r"] + Self.all(container))
            #expect(got.status == 0, "\(container)")
        }
        // What only reads says nothing.
        #expect(try await run(tool, ["query", "--type", "T"]).errors.isEmpty)

        let shown = try await run(tool, ["context", "show"], variable).output
        #expect(shown.contains("container    iCloud.b     from STRATUS_CONTAINER\n"), "\(shown)")
        #expect(shown.contains("environment  development  from the context\n"))
        let object = try await run(tool, ["context", "show", "--json"]).object()
        #expect((object["database"] as? [String: String])?["value"] == "public")
        #expect(object["email"] == nil)

        // Another part is set beside the others, and another data directory has none of it.
        #expect(try await run(tool, ["context", "set", "--environment", "production"]).output.contains("iCloud.a"))
        #expect(try await run(tool, ["context", "show"], data: tool.path("other")).output.isEmpty)
        #expect(try await run(tool, ["context", "clear"]).status == 0)
        let missing = try await run(tool, ["query", "--type", "T"])
        #expect(missing.status == 2 && missing.errors.contains("--container is missing"))
        #expect(missing.errors.contains("stratus context set --container"))
    }

    private static func all(_ container: String) -> [String] {
        ["--container", container, "--environment", "development", "--database", "public"]
    }

    @Test(arguments: [
        ["context", "set"], ["context", "set", "--container", "notes"], ["context", "set", "--environment", "test"],
        ["context", "set", "--database", "shared"],
    ])
    func whatCannotBeIsNotSet(arguments: [String]) async throws {
        let tool = try Tool()
        #expect(try await run(tool, arguments).status == 2)
        #expect(try await run(tool, ["context", "show"]).output.isEmpty)
    }

    @Test func valuesFromElsewhereAreChecked() async throws {
        let tool = try Tool()
        let run = try await run(
            tool, ["query", "--type", "T", "--container", "iCloud.a"], ["STRATUS_ENVIRONMENT": "test"])
        #expect(run.status == 2 && run.errors.contains("the environment of STRATUS_ENVIRONMENT"))
        #expect(try await tool.run(["context", "set", "--container", "iCloud.a"]).status == 1, "there is no home")
        #expect(try await tool.run(["query", "--type", "T", "--json"]).errorObject()["error"] as? String == "USAGE")
    }
}
