import Foundation
import StratusCloudCrypto
import StratusTestSupport
import StratusWaiting
import Testing

/// `stratus migrate`, from one cloud to another.
@Suite("Migration", .serialized)
struct MigrationTests {
    private static let container = "iCloud.org.example.migrated"
    private static let large = (0..<9_500_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }

    private let target: Cloud
    private let folder: TemporaryDirectory

    init() async throws {
        target = try await Cloud()
        folder = try TemporaryDirectory()
        try await target.makeContainer(Self.container)
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// The server-to-server key of a tenant, as files for the tool.
    private func keyOptions(_ source: Tenant) async throws -> [String] {
        let output = folder.path + "/" + Unique.name("key") + ".pem"
        let made = try await source.cloud.tool([
            "key", "create", "--container", source.container, "--environment", "development", "--output", output,
        ])
        return ["--key-id", try #require(made["keyID"].string), "--key", try #require(made["privateKeyFile"].string)]
    }

    private func schema(of source: Tenant) async throws -> String {
        let run = try await Tool.run([
            "schema", "show", "--container", source.container, "--environment", "development", "--data",
            source.cloud.directory.path,
        ])
        return try write(run.output, to: "schema.ckdb")
    }

    private func options(_ source: Tenant, _ work: String, at url: String? = nil) async throws -> [String] {
        [
            "migrate", "--from", url ?? source.cloud.server.url, "--source-container", source.container,
            "--source-environment", "development", "--container", Self.container, "--environment", "development",
            "--schema", try await schema(of: source), "--work", "\(folder.path)/\(work)", "--data",
            target.directory.path,
            "--json",
        ]
    }

    /// Records by zone and name: their type and fields, assets by checksum and size.
    private func content(_ cloud: Cloud, _ container: String, _ database: [String]) async throws -> [String: JSON] {
        let run = try await Tool.run(
            [
                "export", "--all", "--container", container, "--environment", "development", "--data",
                cloud.directory.path,
            ]
                + database)
        var found: [String: JSON] = [:]
        for line in run.output.split(separator: "\n") {
            let record = try JSON(parsing: String(line))
            let key = "\(record["zoneID"]["zoneName"].string ?? "")/\(record["recordName"].string ?? "")"
            found[key] = ["type": record["recordType"], "fields": record["fields"], "parent": record["parent"]]
        }
        return found
    }

    private func fill(_ source: Tenant) async throws {
        let database = source.publicDatabase
        for start in stride(from: 0, to: 600, by: 200) {
            let batch = (start..<start + 200).map { number -> JSON in
                Change.create(
                    "Note", "note-\(number)",
                    [
                        "n": Fields.typed("INT64", .int(number)),
                        "text": Fields.typed("STRING", .string("ünï \(number)")),
                        // Of a type that is fetched later.
                        "to": Fields.typed(
                            "REFERENCE", ["recordName": .string("topic-\(number % 5)"), "action": "NONE"]),
                    ])
            }
            expectSaved(try await database.modify(batch), count: 200)
        }
        expectSaved(
            try await database.modify(
                (0..<5).map {
                    Change.create(
                        "Topic", "topic-\($0)", ["at": Fields.typed("LOCATION", ["latitude": 1.5, "longitude": 2.25])])
                }), count: 5)
        // Held by a reference to a record of a type whose name comes later.
        expectSaved(
            try await database.modify([
                Change.create(
                    "Album", "album",
                    ["topic": Fields.typed("REFERENCE", ["recordName": "topic-1", "action": "VALIDATE"])])
            ]), count: 1)
        _ = try await database.saveFile(Array("small".utf8), "File", "small")
        _ = try await database.saveFile(Self.large, "File", "large")
    }

    @Test("The public database comes with its assets, through throttling and kill -9, once however often it is run")
    func publicDatabase() async throws {
        let source = try await Tenant(in: try await Cloud())
        try await fill(source)
        let key = try await keyOptions(source)
        source.cloud.server.terminate()
        #expect(await source.cloud.server.ending == .exited(0))
        let throttled = try await Cloud(directory: source.cloud.directory, arguments: ["--token-rate", "4"])
        let command = try await options(source, "public", at: throttled.server.url) + key
        let process = try ChildProcess(Tool.path, command)
        let state = "\(folder.path)/public/state.json"
        func fetched() throws -> Int64 {
            guard let text = FileManager.default.contents(atPath: state) else { return 0 }
            return try JSON(parsing: Array(text))["units"].array?.compactMap { $0["records"].int }.reduce(0, +) ?? 0
        }
        try await wait(for: "200 fetched records") { try fetched() >= 200 }
        process.send(SIGKILL)
        #expect(await process.ending == .signalled(SIGKILL))
        let before = try fetched()

        let run = try await Tool.run(command)
        try #require(run.ending == .exited(0), "\(run)")
        let report = try JSON(parsing: run.output)
        #expect(report["leftOutCount"] == 0)
        let parts = report["parts"].array ?? []
        #expect(parts.compactMap { $0["records"].int }.reduce(0, +) == 608 && before < 608)
        let wanted = try await content(source.cloud, source.container, ["--database", "public"])
        let found = try await content(target, Self.container, ["--database", "public"])
        #expect(wanted.count == 608 && found == wanted)
        let assets = "\(folder.path)/exported"
        _ = try await target.tool([
            "export", "--all", "--container", Self.container, "--environment", "development", "--database", "public",
            "--assets", assets, "--output", assets + ".jsonl",
        ])
        let files = try FileManager.default.contentsOfDirectory(atPath: assets)
        #expect(files.contains(String(Hex.encode(SHA256.hash(Self.large)).prefix(40))) && files.count == 2)

        // Again: nothing is fetched and nothing saved, and the report is the same.
        let again = try await Tool.run(command)
        #expect(again.ending == .exited(0))
        #expect(try JSON(parsing: again.output) == report)
        #expect(try await content(target, Self.container, ["--database", "public"]) == wanted)
        // Another migration may not go on with it.
        let other = try await Tool.run(command.map { $0 == "development" ? "production" : $0 })
        #expect(other.ending == .exited(2) && other.errors.contains("another migration"))
    }

    @Test("A person's private data comes by their token; what cannot be carried is reported")
    func privateDatabase() async throws {
        let source = try await Tenant(in: try await Cloud())
        let database = source.privateDatabase
        let zone = try await database.makeZone()
        _ = try await database.makeZone("Empty")
        _ = try await database.share(root: "root", in: zone)
        expectSaved(
            try await database.modify((0..<300 / 3).map { Shares.child("child-\($0)", of: "root") }, zone: zone),
            count: 100)
        _ = try await database.saveFile(Array("private".utf8), "File", "file", zone: zone)
        try await database.save(
            Change.create("Plain", "plain", ["text": Fields.typed("STRING", "in the default zone")]))
        try await target.makeAccount("new@example.org", password: "correct horse battery")
        let token = try write(source.alice.webAuthToken, to: "token")
        let command =
            try await options(source, "private") + [
                "--api-token", source.apiToken, "--web-auth-token-file", token, "--email", "new@example.org",
            ]
        let run = try await Tool.run(command)
        #expect(run.ending == .exited(1), "a share is left out: \(run)")
        let report = try JSON(parsing: run.output)
        #expect(report["leftOutCount"] == 1 && report["leftOut"][0]["what"] == "share")
        #expect(report["never"].array?.isEmpty == false)
        let here = ["--database", "private", "--email", "new@example.org"]
        let wanted = try await content(
            source.cloud, source.container, ["--database", "private", "--email", source.alice.email])
        #expect(try await content(target, Self.container, here) == wanted)
        #expect(wanted.count == 103)
        let zones = try await Tool.run(
            [
                "export", "--all", "--data", target.directory.path, "--container", Self.container, "--environment",
                "development", "--zone", zone,
            ] + here)
        #expect(zones.output.split(separator: "\n").count == 102)
        // The token was renewed in its file, which nobody else can read, and stands in no other.
        let mode = try FileManager.default.attributesOfItem(atPath: token)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for name in ["state.json", "report.json"] {
            let text = try String(contentsOfFile: "\(folder.path)/private/\(name)", encoding: .utf8)
            #expect(!text.contains(source.alice.webAuthToken) && !text.contains(source.apiToken))
        }
    }

    @Test(
        "What cannot be meant is refused before anything is made",
        arguments: [
            ["--from", "ftp://a"], ["--from", "https://a/path"], ["--from", "https://user@a"],
            ["--from", "http://127.0.0.1:1"],
            ["--from", "http://127.0.0.1:1", "--key-id", "a"], ["--from", "http://127.0.0.1:1", "--api-token", "a"],
        ])
    func refused(extra: [String]) async throws {
        let run = try await Tool.run(
            [
                "migrate", "--source-container", "iCloud.a", "--container", Self.container, "--environment",
                "development",
                "--work", folder.path + "/work", "--data", target.directory.path,
            ] + extra)
        #expect(run.ending == .exited(2), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/work"))
    }
}
