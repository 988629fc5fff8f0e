import Foundation
import StratusSeeds
import StratusTestSupport
import StratusWorkers
import Testing

/// Servers killed while production's schema changes.
@Suite("Deployments, durability", .serialized)
struct DeployDurabilityTests {
    /// A change of production as its history tells it.
    private struct Entry: Hashable {
        var kind: String
        var name: String
        /// Record types that came, and went.
        var added: Set<String>
        var removed: Set<String>
    }

    /// One change after another: a deployment of two record types, each second one rolled back and deployed again.
    private struct Deployer {
        let cloud: Cloud
        let container: String
        let round: Int
        /// The number of the latest change of before.
        let changes: Int
        /// Whether the server is gone: commands would be done on the data without it.
        let isOver = Lock(false)

        /// - Returns: what production was told to become, as far as somebody said that it is, and what was under way.
        func run() async throws -> (acknowledged: [Entry], begun: Entry?) {
            var acknowledged: [Entry] = []
            for step in 0... {
                let name = "r\(round)s\(step)"
                let types: Set = ["\(name)a", "\(name)b"]
                let deployment = Entry(kind: "deploy", name: name, added: types, removed: [])
                let rollBack = Entry(kind: "rollback", name: name, added: [], removed: types)
                guard try await add(types) else { return (acknowledged, nil) }
                for entry in step % 2 == 0 ? [deployment] : [deployment, rollBack, deployment] {
                    if isOver.withLock({ $0 }) { return (acknowledged, nil) }
                    let number = String(changes + acknowledged.count)
                    let words =
                        entry.kind == "deploy"
                        ? ["schema", "deploy", "--yes", "--name", name]
                        : ["schema", "rollback", number, "--environment", "production"]
                    guard try await hasDone(words) else { return (acknowledged, entry) }
                    acknowledged.append(entry)
                }
            }
            return (acknowledged, nil)
        }

        /// Adds record types to development.
        private func add(_ types: Set<String>) async throws -> Bool {
            let file = cloud.directory.path + "/" + Unique.name("schema")
            let text = types.sorted().map { "RECORD TYPE \($0) (text STRING QUERYABLE);" }.joined(separator: "\n")
            try "DEFINE SCHEMA \(text)".write(toFile: file, atomically: true, encoding: .utf8)
            return try await hasDone(["schema", "apply", file, "--environment", "development"])
        }

        private func hasDone(_ words: [String]) async throws -> Bool {
            let run = try await Tool.run(words + ["--container", container, "--data", cloud.directory.path])
            return run.ending == .exited(0)
        }
    }

    private func history(_ cloud: Cloud, _ target: [String]) async throws -> [Entry] {
        let answer = try await cloud.tool(["schema", "history"] + target)
        return try #require(answer["history"].array).reversed().map { entry in
            func types(_ sign: String) -> Set<String> {
                let prefix = "\(sign) RECORD TYPE "
                let lines = (entry["diff"].string ?? "").split(separator: "\n").filter { $0.hasPrefix(prefix) }
                return Set(lines.map { String($0.dropFirst(prefix.count)) })
            }
            return Entry(
                kind: entry["kind"].string ?? "", name: entry["name"].string ?? "", added: types("+"),
                removed: types("-"))
        }
    }

    private func types(_ cloud: Cloud, _ target: [String]) async throws -> Set<String> {
        let run = try await Tool.run(["schema", "show", "--data", cloud.directory.path] + target)
        try #require(run.ending == .exited(0), "\(run)")
        return Set(run.output.matches(of: /RECORD TYPE (r\d+s\d+[ab])/).map { String($0.1) })
    }

    @Test(
        "Threat 56: kill -9 amid deployments and roll-backs: each is there or not, and the history is production's own")
    func killed() async throws {
        var random = SeededRandom(seed: DurabilityTests.seed)
        var cloud = try await Cloud()
        let tenant = try await Tenant(in: cloud)
        let target = ["--container", tenant.container, "--environment", "production"]
        var expected: [Entry] = []
        for round in 0..<DurabilityTests.rounds {
            let server = cloud.server
            var database = tenant.publicDatabase
            database.server = server.url
            let deployer = Deployer(
                cloud: cloud, container: tenant.container, round: round, changes: expected.count)
            let work = Task { try await deployer.run() }
            // A moment that is as far in on a slow machine as on a fast one: after so many requests of others.
            for _ in 0..<Int.random(in: 20...400, using: &random) { _ = try await database.find("nothing") }
            server.kill()
            deployer.isOver.withLock { $0 = true }
            #expect(await server.ending == .signalled(SIGKILL))
            let (acknowledged, begun) = try await work.value

            cloud = try await Cloud(directory: cloud.directory)
            let history = try await history(cloud, target)
            expected += acknowledged
            // What was under way may be there though nobody was told.
            if let begun, history.count == expected.count + 1 { expected.append(begun) }
            #expect(
                history == expected, "round \(round): \(acknowledged.count) acknowledged, \(String(describing: begun))")
            let present = history.reduce(into: Set<String>()) {
                $0.formUnion($1.added); $0.subtract($1.removed)
            }
            #expect(try await types(cloud, target) == present, "round \(round)")
            // What is not there can be brought there; all that is missing comes at once.
            let missing = try await types(cloud, target.dropLast() + ["development"]).subtracting(present)
            let words = ["schema", "deploy", "--yes", "--container", tenant.container]
            #expect(try await cloud.tool(words)["deployed"] == .bool(!missing.isEmpty))
            if !missing.isEmpty { expected.append(Entry(kind: "deploy", name: "", added: missing, removed: [])) }
            #expect(try await self.history(cloud, target) == expected)
        }
        cloud.server.terminate()
        #expect(await cloud.server.ending == .exited(0))
    }
}
