import Foundation
import StratusCloudCrypto
import Testing

/// Every administrative command, on the data of a stopped server and of a running one.
@Suite struct CommandTests {
    /// Whether a server runs on the data meanwhile.
    enum Mode: CaseIterable {
        case stopped, running
    }

    /// A tool whose data has the container; with a server in `running`.
    private func prepare(_ mode: Mode) async throws -> (Tool, RunningServer?) {
        let tool = try Tool()
        let server = mode == .running ? try await RunningServer(tool) : nil
        try await tool.succeed("container", "create", Tool.container)
        return (tool, server)
    }

    @Test(arguments: Mode.allCases)
    func containers(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let created = try await tool.succeed("container", "create", "iCloud.another", "--json").object()
        #expect(created["container"] as? String == "iCloud.another")
        #expect(try await tool.succeed("container", "list").output == "iCloud.another\n\(Tool.container)\n")
        let listed = try await tool.succeed("--json", "container", "list").object()
        #expect(listed["containers"] as? [String] == ["iCloud.another", Tool.container])

        let twice = try await tool.run(["container", "create", Tool.container, "--json"])
        #expect(twice.status == 1)
        #expect(try twice.errorObject()["error"] as? String == "EXISTS")
        #expect(twice.output.isEmpty)
        #expect(try await tool.run(["container", "create", "nonsense"]).status == 1)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func accountsAndCredentials(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let account = try await tool.succeed(
            "account", "create", "--email", "A@example.org", "--password-stdin", "--json", input: "correct horse\n")
        #expect(try account.object()["email"] as? String == "A@example.org")
        #expect(try await tool.succeed("account", "list").output == "a@example.org\n")
        let listed = try await tool.succeed("account", "list", "--json").object()
        #expect(listed["accounts"] as? [String] == ["a@example.org"])

        let token = try await tool.succeed("token", "create", "--json", context: Tool.context).object()
        #expect((token["token"] as? String)?.count == 64)
        let text = try await tool.succeed("token", "create", "--name", "app", context: Tool.context).output
        #expect(text.count == 65)

        let session = try await tool.succeed(
            "session", "create", "--email", "a@example.org", "--json", context: Tool.context
        ).object()
        #expect((session["webAuthToken"] as? String)?.isEmpty == false)
        #expect((session["userRecordName"] as? String)?.hasPrefix("_") == true)
        let nobody = try await tool.run(["session", "create", "--email", "b@example.org"] + Tool.context)
        #expect(nobody.status == 1)
        #expect(nobody.errors.contains("b@example.org"))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func anAccountGetsAnotherPassword(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        func set(_ email: String, _ options: [String], _ input: String) async throws -> Tool.Run {
            try await tool.run(["account", "password", "--email", email, "--json"] + options, input: input)
        }
        _ = try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", "--json", input: "correct horse\n")
        let done = try await set("A@example.org", ["--password-stdin"], "battery staple\n")
        #expect(done.status == 0 && !done.output.contains("battery"))
        for (email, options, input, code) in [
            ("b@example.org", ["--password-stdin"], "battery staple\n", "NOT_FOUND"),
            ("a@example.org", ["--password-stdin"], "short\n", "BAD_REQUEST"),
        ] {
            let refused = try await set(email, options, input)
            #expect(refused.status == 1)
            #expect(try refused.errorObject()["error"] as? String == code)
        }
        // Nothing but a terminal is asked, and no argument takes a password.
        #expect(try await set("a@example.org", [], "battery staple\n").status == 2)
        #expect(try await set("a@example.org", ["--password", "battery staple"], "").status == 2)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func profilesAndDiscovery(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let phone = ["--phone", "+44 20 7946 0000"]
        func create(_ email: String, _ options: [String]) async throws -> Tool.Run {
            try await tool.run(
                ["account", "create", "--password-stdin", "--json", "--email", email] + options,
                input: "correct horse\n")
        }
        #expect(try await create("a@example.org", phone + ["--given-name", "Ada"]).status == 0)
        #expect(try await create("b@example.org", phone).errorObject()["error"] as? String == "EXISTS")
        #expect(try await tool.succeed("account", "list").output == "a@example.org\n")

        let changed = try await tool.succeed(
            "account", "update", "--email", "a@example.org", "--family-name", "Lovelace", "--phone", "", "--json")
        #expect(try changed.object()["email"] as? String == "a@example.org")
        #expect(try await create("b@example.org", ["--phone", "00442079460000"]).status == 0)
        #expect(try await tool.run(["account", "update", "--email", "c@example.org", "--phone", ""]).status == 1)
        #expect(try await tool.run(["account", "update", "--email", "a@example.org", "--phone", "7"]).status == 1)

        let discover = ["account", "discover", "--email", "a@example.org"] + Tool.context + ["--allow"]
        #expect(try await tool.run(discover + ["on", "--json"]).object()["discoverable"] as? Bool == true)
        #expect(try await tool.run(discover + ["off"]).output == "account a@example.org is no longer discoverable\n")
        #expect(try await tool.run(discover + ["maybe"]).status == 2)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func usage(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let shown = ["usage", "--json"] + Tool.publicDatabase
        #expect(try await tool.run(shown).object()["records"] as? Int == 0)
        let file = try tool.write(#"{"a":1}"#, to: "notes.jsonl")
        #expect(try await tool.run(["import", file, "--type", "Note"] + Tool.publicDatabase).status == 0)
        let usage = try await tool.run(shown).object()
        #expect(usage["records"] as? Int == 1 && usage["assetBytes"] as? Int == 0)
        #expect(try #require(usage["recordBytes"] as? Int) > 0)
        let text = try await tool.run(["usage"] + Tool.publicDatabase).output
        #expect(text.hasPrefix("1 records of "))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func keys(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let file = tool.path("key.pem")
        let created = try await tool.succeed(
            "key", "create", "--output", file, "--json", context: Tool.context
        ).object()
        #expect((created["keyID"] as? String)?.count == 64)
        #expect(created["privateKeyFile"] as? String == file)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let pem = try String(contentsOfFile: file, encoding: .utf8)

        let again = try await tool.run(["key", "create", "--output", file] + Tool.context)
        #expect(again.status == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == pem)

        let publicKey = try tool.write(try P256PrivateKey(pem: pem).publicKey.pem(), to: "public.pem")
        let registered = try await tool.succeed(
            "key", "register", "--public-key", publicKey, "--json", context: Tool.context
        ).object()
        #expect((registered["keyID"] as? String)?.count == 64)
        let wrong = try await tool.run(["key", "register", "--public-key", file + "x"] + Tool.context)
        #expect(wrong.status == 1)

        let nowhere = tool.path("other.pem")
        let context = ["--container", "iCloud.none", "--environment", "development"]
        #expect(try await tool.run(["key", "create", "--output", nowhere] + context).status == 1)
        #expect(!FileManager.default.fileExists(atPath: nowhere))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func schemas(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let production = ["--container", Tool.container, "--environment", "production"]
        let file = try tool.write(
            "DEFINE SCHEMA RECORD TYPE Note ( text STRING QUERYABLE, GRANT READ TO \"_world\" );", to: "schema")
        let applied = try await tool.succeed("schema", "apply", file, "--json", context: production).object()
        #expect(applied["applied"] as? String == file)
        let shown = try await tool.succeed("schema", "show", context: production).output
        #expect(shown.contains("RECORD TYPE Note"))
        let object = try await tool.succeed("schema", "show", "--json", context: production).object()
        #expect((object["schema"] as? String)?.contains("RECORD TYPE Note") == true)

        let broken = try tool.write("DEFINE NOTHING", to: "broken")
        let refused = try await tool.run(["schema", "apply", broken, "--json"] + production)
        #expect(refused.status == 1)
        #expect(try refused.errorObject()["error"] as? String == "BAD_REQUEST")
        withExtendedLifetime(server) {}
    }

    @Test(arguments: Mode.allCases)
    func queries(_ mode: Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let file = try tool.write("id,size,seal\na,1,AAE=\nb,20,/w==\nc,3,AQ==\n", to: "things.csv")
        try await tool.succeed(
            "import", file, "--type", "Thing", "--name-field", "id", "--column", "size=INT64", "--column",
            "seal=BYTES", context: Tool.publicDatabase)
        let arguments = ["query", "--type", "Thing", "--filter", "size < 10", "--sort", "size desc"]
        let found = try await tool.run(arguments + ["--json"] + Tool.publicDatabase)
        let records = try #require(try found.object()["records"] as? [[String: Any]])
        #expect(records.map { $0["recordName"] as? String } == ["c", "a"])
        #expect(try found.object()["complete"] as? Bool == true)
        let lines = try await tool.run(arguments + Tool.publicDatabase).output.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try await tool.run(arguments + ["--limit", "1"] + Tool.publicDatabase)
        #expect(first.output.split(separator: "\n").count == 1)
        #expect(first.errors.contains("more records"))

        let bytes = ["query", "--type", "Thing", "--filter", "seal > \"AAE=\"", "--sort", "seal desc", "--json"]
        let sealed = try await tool.run(bytes + Tool.publicDatabase).object()["records"] as? [[String: Any]]
        #expect(sealed?.map { $0["recordName"] as? String } == ["b", "c"])

        let plan = try await tool.run(arguments + ["--explain", "--json"] + Tool.publicDatabase).object()
        #expect(plan["recordsReturned"] as? Int == 2)
        #expect((plan["plan"] as? [String])?.isEmpty == false)
        #expect((plan["ranges"] as? [String])?.isEmpty == false)
        #expect(plan["keysRead"] is Int)
        #expect(try await tool.run(arguments + ["--explain"] + Tool.publicDatabase).output.contains("records read: "))
        withExtendedLifetime(server) {}
    }

    @Test func helpAtEachLevel() async throws {
        let tool = try Tool()
        let commands = [
            [], ["serve"], ["container"], ["container", "create"], ["account", "create"], ["token", "create"],
            ["key", "create"], ["key", "register"], ["session", "create"], ["schema", "apply"], ["query"], ["import"],
            ["export"], ["record", "save"], ["container", "delete"], ["context", "set"], ["completion"], ["man"],
            ["version"],
        ]
        for command in commands {
            let help = try await tool.run(command + ["--help"])
            #expect(help.status == 0)
            #expect(help.output.contains("Usage: stratus"), "\(command)")
        }
        #expect(try await tool.succeed("version", "--json").object()["version"] is String)
        #expect(try await tool.succeed("--version").output.hasPrefix("stratus "))
    }

    @Test(arguments: [
        ["nonsense"], ["container"], ["container", "create"], ["token", "create"],
        ["token", "create", "--container", "iCloud.a", "--environment", "test"], ["serve", "--port", "70000"],
        ["serve", "--tls-cert", "only"], ["export"] + Tool.publicDatabase,
        ["import", "file.txt", "--type", "T"] + Tool.publicDatabase, ["import", "file.csv"] + Tool.publicDatabase,
        ["query", "--type", "T"] + Tool.context + ["--database", "private"],
        ["query", "--type", "T", "--filter", "nonsense"] + Tool.publicDatabase,
        ["account", "create", "--email", "a@b.c"],
    ])
    func wrongCommandLines(arguments: [String]) async throws {
        let tool = try Tool()
        let text = try await tool.run(arguments)
        #expect(text.status == 2)
        #expect(text.output.isEmpty)
        #expect(!text.errors.isEmpty)
        let json = try await tool.run(arguments + ["--json"])
        #expect(json.status == 2)
        #expect(try json.errorObject()["error"] as? String == "USAGE")
        #expect(!FileManager.default.fileExists(atPath: tool.data.path()))
    }
}

extension Tool {
    /// A run that must succeed, with the options of a context or database behind the others.
    @discardableResult
    func succeed(
        _ arguments: String..., context: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Run {
        let run = try await run(arguments + context)
        try #require(run.status == 0, "\(arguments): \(run.errors)", sourceLocation: sourceLocation)
        return run
    }
}
