import Foundation
import StratusCloudModel
import StratusTestSupport
import Testing

/// Programs with a key-value store, over a real server.
@Suite struct KeyValueServerTests {
    private let tenant: Tenant

    init() async throws { tenant = try await Tenant(in: try await Cloud.shared()) }

    private func start(
        _ home: TemporaryDirectory, as person: Tenant.Person? = nil, _ arguments: String...
    ) throws -> ChildProcess {
        try ChildProcess(
            Tool.beside("StratusKeyValueClient"), arguments,
            environment: [
                "HOME": home.path, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "",
                "STRATUS_URL": tenant.cloud.server.url, "STRATUS_CONTAINER": tenant.container,
                "STRATUS_API_TOKEN": tenant.apiToken, "STRATUS_WEB_AUTH_TOKEN": (person ?? tenant.alice).webAuthToken,
            ])
    }

    private func set(
        _ home: TemporaryDirectory, as person: Tenant.Person? = nil, _ command: String, _ key: String, _ text: String
    ) async throws -> ChildProcess.Ending {
        let program = try start(home, as: person, command, key, text)
        #expect(await program.standardOutput == "true\n")
        return await program.ending
    }

    @Test("two processes of a device, and another device") func processes() async throws {
        let (phone, laptop) = (try TemporaryDirectory(), try TemporaryDirectory())
        let (first, second) = (try start(phone, "watch"), try start(laptop, "watch"))
        defer { for program in [first, second] { program.send(SIGKILL) } }
        var (firstLines, secondLines) = (first.lines.makeAsyncIterator(), second.lines.makeAsyncIterator())
        #expect(await firstLines.next() == "watching")
        #expect(await secondLines.next() == "watching")
        #expect(try await set(phone, "set", "theme", "dark") == .exited(0))
        #expect(await firstLines.next() == "0 theme=dark", "the other process of the same device")
        // The first download of the laptop may have ended before or after.
        let line = await secondLines.next()
        #expect(line == "0 theme=dark" || line == "1 theme=dark")
        #expect(try await set(laptop, "set", "theme", "light") == .exited(0))
        #expect(await secondLines.next() == "0 theme=light")
        #expect(await firstLines.next() == "0 theme=light")
    }

    @Test("what synchronize() has taken survives the process, and is sent by the next") func crash() async throws {
        let (phone, laptop) = (try TemporaryDirectory(), try TemporaryDirectory())
        let watcher = try start(laptop, "watch")
        defer { watcher.send(SIGKILL) }
        var lines = watcher.lines.makeAsyncIterator()
        #expect(await lines.next() == "watching")
        #expect(try await set(phone, "set-and-die", "draft", "kept") == .signalled(SIGKILL))
        let next = try start(phone, "watch")
        defer { next.send(SIGKILL) }
        let line = await lines.next()
        #expect(line == "0 draft=kept" || line == "1 draft=kept")
    }

    @Test("people whose programs run in the same home have stores of their own") func people() async throws {
        let (home, elsewhere) = (try TemporaryDirectory(), try TemporaryDirectory())
        #expect(try await set(home, "set", "secret", "of Alice") == .exited(0))
        let watcher = try start(elsewhere, "watch")
        defer { watcher.send(SIGKILL) }
        var lines = watcher.lines.makeAsyncIterator()
        #expect(await lines.next() == "watching")
        let bobs = try start(home, as: tenant.bob, "get", "secret")
        #expect(await bobs.standardOutput == "-\n")
        #expect(try await set(home, as: tenant.bob, "set", "secret", "of Bob") == .exited(0))
        // Alice's next program sends what the first one may not have sent, and nothing of Bob's.
        let again = try start(home, "get", "secret")
        #expect(await again.standardOutput == "of Alice\n")
        let sender = try start(home, "watch")
        defer { sender.send(SIGKILL) }
        let line = await lines.next()
        #expect(line == "0 secret=of Alice" || line == "1 secret=of Alice")
    }

    @Test("other clients see the records, and cannot break the rules") func webServices() async throws {
        let database = tenant.database("private", tenant.credential(of: tenant.alice))
        func save(_ name: String, _ fields: JSON) async throws -> JSON {
            let record: JSON = ["recordName": .string(name), "recordType": "StratusKeyValue", "fields": fields]
            let answer = try await database.post(
                "records/modify",
                [
                    "zoneID": ["zoneName": "_keyValueStore"],
                    "operations": [["operationType": "forceReplace", "record": record]],
                ])
            return answer.json["records"][0]
        }
        let value: JSON = ["value": "YnBsaXN0", "type": "BYTES"]
        let saved = try await save("k.a", ["key": ["value": "a"], "age": ["value": 0], "value": value])
        #expect(saved["serverErrorCode"].string == nil && saved["recordChangeTag"].string != nil, "\(saved)")
        for (name, fields, code) in [
            ("k.b", ["key": ["value": "a"], "age": ["value": 0]], "BAD_REQUEST"),
            ("k.a", ["key": ["value": "a"], "age": ["value": -1]], "BAD_REQUEST"),
            ("k.a", ["key": ["value": "a"], "age": ["value": 86_400_000]], "CONFLICT"),
            ("k.a", ["key": ["value": "a"], "age": ["value": 0], "x": ["value": 1]], "BAD_REQUEST"),
        ] as [(String, JSON, String)] {
            #expect(try await save(name, fields)["serverErrorCode"].string == code, "\(name) \(fields)")
        }
        let zones = try await database.post(
            "zones/modify",
            ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "_keyValueStore"]]]]])
        #expect(zones.json["zones"][0]["serverErrorCode"].string == "BAD_REQUEST")
    }
}
