import Foundation
import Testing

/// Hints, completion and manual pages of the built tool.
@Suite struct ManualCommandTests {
    @Test(arguments: [
        (["account", "delete"], "'stratus user erase' erases a person"),
        (["user", "create"], "stratus account create"),
        (["token", "delete"], "stratus token revoke"), (["developer", "create"], "stratus developer invite"),
        (["container", "remove"], "stratus container delete"), (["record", "list"], "stratus query"),
        (["contianer", "create"], "did you mean 'container'?"), (["erase"], "did you mean 'stratus user erase'?"),
        (["query", "--fliter", "a=1"], "did you mean '--filter'?"),
    ])
    func whatDoesNotExistLeadsToWhatDoes(arguments: [String], hint: String) async throws {
        let run = try await Tool().run(arguments)
        #expect(run.status == 2 && run.errors.contains(hint), "\(run.errors)")
    }

    /// Completes a line in a real bash, by the script that the tool prints, and returns what is offered.
    private func completed(_ line: String, in tool: Tool) async throws -> [String] {
        let executable = try #require(Tool.executable)
        let script = try tool.write(try await tool.succeed("completion", "bash").output, to: "completion.bash")
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        let text = """
            source '\(script)'
            COMP_WORDS=(\(words.joined(separator: " ")))
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _stratus stratus
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try await tool.run(
            ["-c", text],
            environment: ["PATH": executable.deletingLastPathComponent().path() + ":/usr/bin:/bin"],
            program: URL(filePath: "/bin/bash"))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test func bashCompletesCommandsOptionsValuesAndFiles() async throws {
        let tool = try Tool()
        #expect(try await completed("stratus contai", in: tool) == ["container"])
        #expect(try await completed("stratus container ", in: tool) == ["create", "list", "app", "delete"])
        #expect(try await completed("stratus query --type T --sor", in: tool) == ["--sort"])
        #expect(try await completed("stratus query --database p", in: tool) == ["public", "private"])
        #expect(try await completed("stratus query --database = pub", in: tool) == ["public"])
        #expect(try await completed("stratus --data x completion f", in: tool) == ["fish"])
        _ = try tool.write("", to: "two words.csv")
        #expect(
            try await completed("stratus import \(tool.path("two"))", in: tool) == [tool.path("two") + " words.csv"])
        #expect(try await completed("stratus complet", in: tool) == ["completion"], "the hidden command is not offered")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func eachShellTakesItsScript(shell: String) async throws {
        let tool = try Tool()
        let script = try await tool.succeed("completion", shell).output
        #expect(script.contains("stratus") && script.contains(" complete -- "))
        let program = "/usr/bin/\(shell)"
        guard FileManager.default.isExecutableFile(atPath: program) else { return }
        let file = try tool.write(script, to: "script")
        let run = try await tool.run(["-n", file], program: URL(filePath: program))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }

    private static let groff = "/usr/bin/groff"

    @Test func thereIsAPageForEveryCommand() async throws {
        let tool = try Tool()
        let directory = tool.path("man1")
        let written = try await tool.succeed("man", "--output", directory, "--json").object()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(written["pages"] as? Int == names.count)
        for name in ["stratus.1", "stratus-serve.1", "stratus-container-delete.1"] { #expect(names.contains(name)) }
        #expect(!names.contains("stratus-complete.1"))
        let page = try await tool.succeed("man", "container", "delete").output
        #expect(try String(contentsOfFile: directory + "/stratus-container-delete.1", encoding: .utf8) == page)
        #expect(try await tool.run(["man", "nonsense"]).status == 2)
        #expect(try await tool.run(["man", "--output", directory, "query"]).status == 2)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: groff), "needs groff"))
    func everyPageIsFormattedWithoutAWarning() async throws {
        let tool = try Tool()
        let directory = tool.path("man1")
        try await tool.succeed("man", "--output", directory)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { "\(directory)/\($0)" }
        let run = try await tool.run(
            ["-man", "-ww", "-K", "utf8", "-Tutf8", "-P-c"] + files, environment: ["PATH": "/usr/bin:/bin"],
            program: URL(filePath: Self.groff))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.contains("stratus query [options]"))
    }
}
