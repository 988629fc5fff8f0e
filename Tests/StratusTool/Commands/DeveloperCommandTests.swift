import Foundation
import Testing

/// `stratus developer …`, and the code that a new server shows.
@Suite struct DeveloperCommandTests {
    @Test func aNewServerShowsTheWayIn() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool)
        let line = try #require(try await server.line())
        #expect(line.hasPrefix("console \(server.baseURL)/console/set-up#"))
        let again = try await tool.run(["developer", "invite", "--owner", "--json"])
        let code = try #require(try again.object()["code"] as? String)
        #expect(code.split(separator: "-").count == 5)
        let list = try await tool.run(["developer", "list", "--json"])
        #expect((try list.object()["developers"] as? [Any])?.isEmpty == true)
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test func invitationsSayWhomAndWhereTo() async throws {
        let tool = try Tool()
        _ = try await tool.run(["container", "create", "iCloud.org.example.app"])
        for arguments in [
            [], ["--owner", "--container", "iCloud.org.example.app"], ["--container", "iCloud.org.example.app"],
            ["--container", "iCloud.org.example.app", "--role", "chief", "--email", "a@example.org"],
        ] {
            #expect(try await tool.run(["developer", "invite"] + arguments).status == 2, "\(arguments)")
        }
        let team = try await tool.run([
            "developer", "invite", "--container", "iCloud.org.example.app", "--role", "viewer", "--email",
            "a@example.org",
        ])
        #expect(team.status == 0 && team.output.contains("/console/invitation#"))
        let nowhere = try await tool.run([
            "developer", "invite", "--container", "iCloud.org.example.none", "--role", "viewer", "--email",
            "a@example.org",
        ])
        #expect(nowhere.status == 1)
        #expect(try await tool.run(["developer", "remove", "--email", "a@example.org"]).status == 1)
    }
}
