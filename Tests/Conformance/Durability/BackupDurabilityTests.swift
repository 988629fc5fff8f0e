import Foundation
import Glibc
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

/// Backups of servers that are written to, and of servers that are killed.
@Suite("Durability of backups", .serialized)
struct BackupDurabilityTests {
    private static let writers = 4

    /// The files of all assets, in the order in which a backup copies them.
    private static func assets(of data: String) throws -> [String] {
        let paths = try #require(FileManager.default.enumerator(atPath: data + "/assets")).compactMap { $0 as? String }
        return paths.map { data + "/assets/" + $0 }.sorted().filter {
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: $0, isDirectory: &isDirectory) && !isDirectory.boolValue
        }
    }

    /// Restores the newest backup and gives the numbers that each writer's records have there, and the assets.
    private func restored(
        _ backup: String, _ tenant: Tenant, at name: String? = nil, withFiles: Bool = false
    ) async throws -> (numbers: [[Int]], files: Int) {
        let target = try TemporaryDirectory()
        let data = target.path + "/restored"
        let key = tenant.cloud.directory.path + "/secret.key"
        let choice = name.map { ["--at", $0] } ?? []
        _ = try await Tool.json(["restore", backup, "--data", data, "--secret-key", key] + choice)
        let healthy = try await Tool.run(["doctor", "--data", data, "--json"])
        #expect(
            try JSON(parsing: healthy.output)["checks"].array?.contains {
                $0["name"] == "consistency" && $0["status"] == "ok"
            } == true, "\(healthy)")
        let server = try await ServerProcess(data: data)
        var database = tenant.privateDatabase
        database.server = server.url
        var numbers = [[Int]](repeating: [], count: Self.writers)
        for record in try await database.queryAll("Written") {
            let parts = (record["recordName"].string ?? "").split(separator: "-").compactMap { Int($0) }
            numbers[try #require(parts.first)].append(try #require(parts.last))
        }
        var files = 0
        for record in try await withFiles ? database.queryAll("File") : [] {
            let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            let path = url.firstRange(of: "/assets/").map { String(url[$0.lowerBound...]) }
            let bytes = try await Database.transfer("GET", server.url + (try #require(path)))
            #expect(String(decoding: bytes.body, as: UTF8.self) == "the file \(record["recordName"].string ?? "")")
            files += 1
        }
        server.terminate()
        #expect(await server.ending == .exited(0))
        return (numbers.map { $0.sorted() }, files)
    }

    @Test(
        "Threat 57: a backup under load is the state at one moment, assets included", arguments: ["leveldb", "sqlite"])
    func underLoad(engine: String) async throws {
        let tenant = try await Tenant(in: try await Cloud(arguments: ["--engine", engine]))
        let database = tenant.privateDatabase
        let acknowledged = Lock([Int](repeating: 0, count: Self.writers))
        let isDone = Lock(false)
        let folder = try TemporaryDirectory()
        let backup = folder.path + "/backup"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    var number = 0
                    while !isDone.withLock({ $0 }) {
                        number += 1
                        _ = try await database.save(Change.create("Written", "\(writer)-\(number)"))
                        if number.isMultiple(of: 20), writer == 0 {
                            let name = "f\(number)"
                            _ = try await database.saveFile(Array("the file \(name)".utf8), "File", name)
                        }
                        let done = number
                        acknowledged.withLock { $0[writer] = done }
                    }
                }
            }
            for _ in 0..<3 {
                // Something is written between two backups, and while they are made.
                let last = acknowledged.withLock { $0 }
                try await wait(for: "25 more records of each writer") {
                    zip(acknowledged.withLock { $0 }, last).allSatisfy { $0 >= $1 + 25 }
                }
                let before = acknowledged.withLock { $0 }
                _ = try await tenant.cloud.tool(["backup", backup])
                let found = try await restored(backup, tenant, withFiles: true)
                for writer in 0..<Self.writers {
                    let numbers = found.numbers[writer]
                    #expect(numbers == Array(1...max(1, numbers.count)), "writer \(writer): no gaps")
                    #expect(numbers.count >= before[writer], "what was acknowledged before is there")
                }
                #expect(found.files >= before[0] / 20)
            }
            isDone.withLock { $0 = true }
            try await group.waitForAll()
        }
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
    }

    @Test("Threat 56: kill -9 within a backup harms none before it, and the next one is whole")
    func killed() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let database = tenant.privateDatabase
        for start in stride(from: 1, through: 401, by: 200) {
            let batch = (start..<start + 200).map { Change.create("Written", "0-\($0)") }
            expectSaved(try await database.modify(batch), count: 200)
        }
        let folder = try TemporaryDirectory()
        let backup = folder.path + "/backup"
        let first = try #require(try await tenant.cloud.tool(["backup", backup])["snapshot"].string)
        for number in 0..<8 {
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: ($0 &+ number) &* 2_654_435_761 >> 13) }
            _ = try await database.saveFile(bytes, "Large", "large-\(number)")
        }
        let data = tenant.cloud.directory.path
        // Who opens a pipe waits for who writes into it: the backup stays before its last asset until it is killed. So does
        // the command, which goes on by itself when the server has gone.
        let asset = try #require(try Self.assets(of: data).last)
        try FileManager.default.moveItem(atPath: asset, toPath: folder.path + "/asset")
        try #require(mkfifo(asset, 0o600) == 0)
        let second = try ChildProcess(Tool.path, ["backup", backup, "--data", data])
        try await wait(for: "the first chunks") {
            try !FileManager.default.contentsOfDirectory(atPath: backup + "/incoming").isEmpty
        }
        tenant.cloud.server.kill()
        second.send(SIGKILL)
        #expect(await tenant.cloud.server.ending == .signalled(SIGKILL))
        #expect(await second.ending != .exited(0))
        try FileManager.default.removeItem(atPath: asset)
        try FileManager.default.moveItem(atPath: folder.path + "/asset", toPath: asset)

        #expect(try await restored(backup, tenant, at: first).numbers[0] == Array(1...600))
        let cloud = try await Cloud(directory: tenant.cloud.directory)
        let third = try await cloud.tool(["backup", backup])
        #expect(try FileManager.default.contentsOfDirectory(atPath: backup + "/incoming").isEmpty)
        #expect(try await restored(backup, tenant).numbers[0] == Array(1...600))
        #expect(third["snapshot"].string != first)
        cloud.server.terminate()
        #expect(await cloud.server.ending == .exited(0))
    }
}
