import Foundation
import Testing

/// `stratus schema …`, `role …`, `cktool …` and the lists of tokens and keys, on the data of a stopped server and of a
/// running one.
@Suite struct SchemaCommandTests {
    /// Whether a server runs on the data meanwhile.
    enum Mode: CaseIterable {
        case stopped, running
    }

    private static let container = ["--container", Tool.container]
    private static let production = container + ["--environment", "production"]
    private static let schema = """
        DEFINE SCHEMA
            CREATE ROLE editor;
            RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE, text STRING QUERYABLE, id STRING, size INT64,
                GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO editor
            );
        """

    private func prepare(_ mode: Mode) async throws -> (Tool, RunningServer?) {
        let tool = try Tool()
        let server = mode == .running ? try await RunningServer(tool) : nil
        try await tool.succeed("container", "create", Tool.container)
        return (tool, server)
    }

    @Test(arguments: Mode.allCases)
    func fromDevelopmentToProduction(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let file = try tool.write(Self.schema, to: "notes.ckdb")
        let validated = try await tool.succeed("schema", "validate", file, context: Self.container).output
        #expect(validated.contains("+ RECORD TYPE Note"))
        let imported = try await tool.succeed("schema", "import", file, "--json", context: Self.container).object()
        let changes = try #require(imported["changes"] as? [[String: Any]])
        #expect(changes.contains { $0["change"] as? String == "fieldAdded" && $0["field"] as? String == "text" })
        #expect(try await tool.succeed("schema", "validate", file, context: Self.container).output.contains("nothing"))

        let exported = tool.path("out.ckdb")
        try await tool.succeed("schema", "export", "--output", exported, context: Tool.context)
        #expect(
            try await tool.succeed("schema", "diff", exported, context: Self.container).output.contains(
                "no differences")
        )
        let shown = try await tool.succeed("schema", "show", context: Tool.context).output
        #expect(shown.contains("CREATE ROLE editor"))
        #expect(try String(contentsOfFile: exported, encoding: .utf8).hasPrefix(shown.dropLast()))

        let unconfirmed = try await tool.run(["schema", "deploy"] + Self.container)
        #expect(unconfirmed.status == 2 && unconfirmed.errors.contains("--yes"))
        let planned = try await tool.succeed("schema", "deploy", "--dry-run", "--json", context: Self.container)
            .object()
        #expect(planned["deployed"] as? Bool == false)
        let diff = try await tool.succeed("schema", "diff", context: Self.container).output
        let deployed = try await tool.succeed("schema", "deploy", "--yes", "--name", "1.0", context: Self.container)
            .output
        #expect(deployed == diff)
        #expect(try await tool.succeed("schema", "diff", context: Self.container).output.contains("no differences"))
        let history = try await tool.succeed("schema", "history", "--json", context: Self.production).object()
        let entry = try #require((history["history"] as? [[String: Any]])?.first)
        #expect(entry["name"] as? String == "1.0" && (entry["by"] as? String)?.isEmpty == false)

        let refused = try await tool.run(["schema", "import", file, "--environment", "production"] + Self.container)
        #expect(refused.status == 1 && refused.errors.contains("deploy it to production"))
        let wrong = try tool.write("DEFINE SCHEMA\n  RECORD TYPE T (\n    a BADTYPE\n  );", to: "wrong")
        let invalid = try await tool.run(["schema", "validate", wrong] + Self.container)
        #expect(invalid.status == 1 && invalid.errors.contains("line 3, column 7: expected one of STRING"))
        let rolled = try await tool.succeed("schema", "rollback", "1", context: Self.production).output
        #expect(rolled.contains("- RECORD TYPE Note"))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func indexesOfStoredRecords(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        try await tool.succeed("schema", "import", try tool.write(Self.schema, to: "a"), context: Self.container)
        let rows = "id,size\n" + (0..<500).map { "r\($0),\($0)\n" }.joined()
        try await tool.succeed(
            "import", try tool.write(rows, to: "rows.csv"), "--type", "Note", "--name-field", "id", "--column",
            "size=INT64", context: Tool.publicDatabase)
        let sorted = ["query", "--type", "Note", "--sort", "size desc", "--limit", "1", "--json"] + Tool.publicDatabase
        let refused = try await tool.run(sorted)
        #expect(refused.status == 1 && refused.errors.contains("not marked sortable"))
        let more = Self.schema.replacingOccurrences(of: "size INT64", with: "size INT64 QUERYABLE SORTABLE")
        try await tool.succeed("schema", "import", try tool.write(more, to: "b"), context: Self.container)
        var run = try await tool.run(sorted)
        // A server builds it in the background; until then queries are to be tried again.
        while run.status != 0 {
            #expect(try run.errorObject()["error"] as? String == "TRY_AGAIN_LATER", "\(run.errors)")
            run = try await tool.run(sorted)
        }
        let records = try #require(try run.object()["records"] as? [[String: Any]])
        #expect(records.first?["recordName"] as? String == "r499")
        let indexes = try await tool.succeed("schema", "indexes", "--json", context: Tool.context).object()
        let states = try #require(indexes["indexes"] as? [[String: Any]])
        #expect(states.allSatisfy { $0["isComplete"] as? Bool == true })
        #expect(
            try await tool.succeed("schema", "indexes", context: Tool.context).output.contains(
                "Note.size  QUERYABLE SORTABLE"))
        let gone = try await tool.run(["schema", "import", try tool.write("DEFINE SCHEMA", to: "c")] + Self.container)
        #expect(gone.status == 1 && gone.errors.contains("'Note'"))

        let unconfirmed = try await tool.run(["schema", "reset"] + Self.container)
        #expect(unconfirmed.status == 2 && unconfirmed.errors.contains("--yes"))
        try await tool.succeed("schema", "reset", "--yes", context: Self.container)
        #expect(try await tool.succeed("usage", context: Tool.publicDatabase).output.hasPrefix("0 records"))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func indexesAndRolesComeAndGoWithADeployment(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let plain = "DEFINE SCHEMA RECORD TYPE Note (id STRING, size INT64);"
        try await tool.succeed("schema", "import", try tool.write(plain, to: "a"), context: Self.container)
        try await tool.succeed("schema", "deploy", "--yes", context: Self.container)
        try await tool.succeed(
            "import", try tool.write("id,size\na,1\nb,2\nc,3\n", to: "rows.csv"), "--type", "Note", "--name-field",
            "id",
            "--column", "size=INT64", "--database", "public", context: Self.production)
        let more = "DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Note (id STRING, size INT64 QUERYABLE);"
        try await tool.succeed("schema", "import", try tool.write(more, to: "b"), context: Self.container)
        let deployed = try await tool.succeed("schema", "deploy", "--yes", context: Self.container).output
        #expect(deployed.contains("    + size: QUERYABLE"))
        #expect(deployed.contains("indexes of Note are built from 3 records"))
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse\n")
        try await tool.succeed("role", "add", "editor", "a@example.org", context: Self.production)
        let refused = try await tool.run(["schema", "rollback", "2"] + Self.production)
        #expect(refused.status == 1 && refused.errors.contains("role 'editor' has 1 member: remove them first"))
        try await tool.succeed("role", "remove", "editor", "a@example.org", context: Self.production)
        let rolled = try await tool.succeed("schema", "rollback", "2", context: Self.production).output
        #expect(rolled == "- ROLE editor\n~ RECORD TYPE Note\n    - size: QUERYABLE\n")
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func rolesAndTheirMembers(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        try await tool.succeed("role", "create", "editor", context: Tool.context)
        let listed = try await tool.succeed("role", "list", "--json", context: Tool.context).object()
        #expect(listed["roles"] as? [String] == ["editor"])
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse\n")
        let added = try await tool.succeed("role", "add", "editor", "a@example.org", "--json", context: Tool.context)
            .object()
        let user = try #require(added["user"] as? String)
        #expect(try await tool.succeed("role", "members", "editor", context: Tool.context).output == user + "\n")
        try await tool.succeed("role", "remove", "editor", user, context: Tool.context)
        #expect(try await tool.succeed("role", "members", "editor", context: Tool.context).output == "\n")
        try await tool.succeed("role", "delete", "editor", context: Tool.context)
        #expect(try await tool.run(["role", "delete", "editor"] + Tool.context).status == 1)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func wordsOfAppleCKTool(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let file = try tool.write(Self.schema, to: "notes.ckdb")
        let target = ["--team-id", "ABC", "--container-id", Tool.container]
        let development = target + ["--environment", "DEVELOPMENT"]
        let valid = try await tool.succeed("cktool", "validate-schema", "--file", file, context: development).output
        #expect(valid == "✅ Schema is valid.\n")
        let silent = try await tool.succeed(
            "cktool", "import-schema", "-t", "none", "--file", file, context: development)
        #expect(silent.output.isEmpty && silent.errors.isEmpty)
        let wrong = try tool.write("DEFINE SCHEMA RECORD", to: "wrong")
        let invalid = try await tool.run(["cktool", "import-schema", "--validate", "--file", wrong] + development)
        #expect(invalid.status == 1 && invalid.errors.contains("❌ Schema validation failed: schema line 1, column 21"))
        let path = tool.path("exported.ckdb")
        try await tool.succeed("cktool", "export-schema", "--output-file", path, context: development)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("RECORD TYPE Note"))

        // By its own name, through a link.
        let link = tool.path("cktool")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: try #require(Tool.executable).path())
        let process = Process()
        process.executableURL = URL(filePath: link)
        process.arguments = ["reset-schema"] + target
        process.environment = ["STRATUS_DATA": tool.data.path()]
        #expect(try await process.runToEnd() == 0)
        let exported = try await tool.succeed("cktool", "export-schema", context: development).output
        #expect(!exported.contains("Note"), "production has nothing")
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func tokensAndKeysAreListedAndRevoked(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let token = try await tool.succeed(
            "token", "create", "--name", "web", "--origin", "https://a.example", context: Tool.context
        ).output.trimmingCharacters(in: .newlines)
        try await tool.succeed("token", "create", "--name", "other", context: Tool.context)
        let listed = try await tool.succeed("token", "list", "--json", context: Tool.context)
        #expect(!listed.output.contains(token))
        let tokens = try #require(try listed.object()["tokens"] as? [[String: Any]])
        let web = try #require(tokens.first { $0["name"] as? String == "web" })
        #expect(web["allowedOrigins"] as? [String] == ["https://a.example"])
        let other = try #require(tokens.first { $0["name"] as? String == "other" }?["id"] as? String)
        // Of another environment it is none.
        #expect(try await tool.run(["token", "revoke", other] + Self.production).status == 1)
        let revoked = try await tool.succeed("token", "revoke", token, "--json", context: Tool.context)
        #expect(!revoked.output.contains(token))
        try await tool.succeed("token", "revoke", other, context: Tool.context)
        #expect(try await tool.run(["token", "revoke", other] + Tool.context).status == 1)
        #expect(try await tool.succeed("token", "list", context: Tool.context).output == "\n")

        let pem = tool.path("key.pem")
        try await tool.succeed("key", "create", "--name", "cron", "--output", pem, context: Tool.context)
        let keys = try await tool.succeed("key", "list", "--json", context: Tool.context).object()
        let key = try #require((keys["keys"] as? [[String: Any]])?.first)
        #expect(key["name"] as? String == "cron" && (key["userRecordName"] as? String)?.hasPrefix("_") == true)
        try await tool.succeed("key", "revoke", try #require(key["id"] as? String), context: Tool.context)
        #expect(try await tool.succeed("key", "list", context: Tool.context).output == "\n")
        withExtendedLifetime(server) {}
    }
}
