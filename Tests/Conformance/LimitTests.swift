import StratusTestSupport
import Testing

/// Each limit from both sides.
@Suite("Limits")
struct LimitTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Limits")
        database = tenant.privateDatabase
    }

    private func one(_ change: JSON) async throws -> JSON {
        try await database.modify([change]).records.first ?? .absent
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// A name of exactly `count` characters that no other test uses.
    private func name(_ count: Int) -> String {
        let start = Unique.name("r")
        return start + text(count - start.count)
    }

    @Test("Case 34: 200 operations pass, 201 are refused and nothing is written")
    func case34() async throws {
        let type = Unique.name("Many")
        let names = (0..<201).map { _ in Unique.name("r") }
        let changes = names.map { Change.create(type, $0) }
        expectRefused(try await database.modify(changes), 400, "BAD_REQUEST", "201", "200")
        expectRefused(try await database.query(type), 404, "NOT_FOUND")
        expectSaved(try await database.modify(Array(changes.prefix(200))), count: 200)
    }

    @Test("Case 35: 200 lookups pass, 201 are refused")
    func case35() async throws {
        let names = (0..<201).map { "r\($0)" }
        expectRefused(try await database.lookup(names), 400, "BAD_REQUEST", "201", "200")
        let answer = try await database.lookup(Array(names.prefix(200)))
        #expect(answer.status == 200 && answer.records.count == 200)
    }

    @Test("Case 36: what was refused for its size passes in halves")
    func case36() async throws {
        let changes = (0..<202).map { _ in Change.create("Many", Unique.name("r")) }
        for half in [changes.prefix(101), changes.suffix(101)] {
            expectSaved(try await database.modify(Array(half)), count: 101)
        }
    }

    @Test("200 zone lookups pass, 201 are refused")
    func zoneLookups() async throws {
        let zones = (0..<201).map { JSON(dictionaryLiteral: ("zoneName", .string("z\($0)"))) }
        expectRefused(
            try await database.post("zones/lookup", ["zones": .array(zones)]), 400, "BAD_REQUEST", "201", "200")
        let answer = try await database.post("zones/lookup", ["zones": .array(Array(zones.prefix(200)))])
        #expect(answer.status == 200 && answer.zones.count == 200)
    }

    @Test("201 zone operations are refused and none is done")
    func zoneOperations() async throws {
        let names = (0..<201).map { _ in Unique.name("Zone") }
        let operations = names.map { name -> JSON in
            ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]
        }
        let answer = try await database.post("zones/modify", ["operations": .array(operations)])
        expectRefused(answer, 400, "BAD_REQUEST", "201", "200")
        expectFailed(try await database.find("r", zone: names[0]), "ZONE_NOT_FOUND")
    }

    @Test("Record names of 255 characters pass, of 256 are refused, in every operation")
    func recordNames() async throws {
        let longest = name(255)
        let record = try await database.save(Change.create("Named", longest, Fields.untyped(["a": 1])))
        #expect(record.name == longest)
        try await expectUnchanged(record, in: database)
        #expect(
            try await database.queryAll("Named", filters: [Condition.filter("a", "EQUALS", 1)]).map(\.name) == [longest]
        )
        for kind in ["create", "forceUpdate", "forceReplace"] {
            expectFailed(try await one(Change.make(kind, name(256), type: "Named", [:])), "BAD_REQUEST", "255")
        }
    }

    @Test(
        "Record names that are empty, begin with an underscore or are not plain ASCII are refused",
        arguments: ["", "_x", "é", "日本", "a\u{0}b", "a\nb", "e\u{301}"])
    func refusedNames(name: String) async throws {
        let answer = try await database.modify([Change.create("Named", name)])
        let code = answer.code ?? answer.records.first?["serverErrorCode"].string
        #expect(code == "BAD_REQUEST", "\(answer)")
        #expect((answer.json["reason"].string ?? answer.records.first?["reason"].string)?.isEmpty == false)
    }

    @Test(
        "Record names are compared byte by byte",
        arguments: ["a/b", "..", "a b", "A'; DROP TABLE x;--", "%2F", "\"q\""])
    func oddNames(word: String) async throws {
        let name = word + Unique.name("R")
        let (upper, lower) = (name + "X", name + "x")
        let first = try await database.save(Change.create("Named", upper, Fields.untyped(["b": 1])))
        let second = try await database.save(Change.create("Named", lower, Fields.untyped(["b": 2])))
        try await expectUnchanged(first, in: database)
        try await expectUnchanged(second, in: database)
    }

    @Test("Type names and field names of 255 characters pass, of 256 are refused")
    func typesAndFields() async throws {
        let type = name(255)
        let field = text(255)
        let record = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped([field: 1])))
        #expect(record["recordType"].string == type)
        #expect(try await database.queryAll(type, filters: [Condition.filter(field, "EQUALS", 1)]).count == 1)
        expectFailed(try await one(Change.create(name(256), Unique.name("r"))), "BAD_REQUEST", "255")
        let long = Fields.untyped([text(256): 1])
        expectFailed(try await one(Change.create("Named", Unique.name("r"), long)), "BAD_REQUEST", "255")
    }

    @Test("Zone names of 255 characters pass; of 256, empty, or with other characters they are refused")
    func zoneNames() async throws {
        let longest = name(255)
        let made = try await database.zone("create", longest)
        #expect(made.zones.first?["zoneID"]["zoneName"].string == longest, "\(made)")
        for name in [name(256), "", "zone\u{1}", "_reserved"] {
            let answer = try await database.zone("create", name)
            let code = answer.code ?? answer.zones.first?["serverErrorCode"].string
            #expect(code == "BAD_REQUEST", "\(answer)")
        }
    }

    @Test("A record of almost 1 MiB passes and comes back; of more than 1 MiB it is refused by name")
    func recordSize() async throws {
        let type = Unique.name("Large")
        let name = Unique.name("r")
        let bytes = 1_048_576
        let full = try await database.save(
            Change.create(type, name, Fields.untyped(["t": .string(text(bytes - 1_024))])))
        #expect(full.value("t").string?.utf8.count == bytes - 1_024)
        let over = Unique.name("r")
        let item = try await one(Change.create(type, over, Fields.untyped(["t": .string(text(bytes + 1))])))
        expectFailed(item, "BAD_REQUEST", over, "1048576")
        try await expectAbsent(over, in: database)
        let grown = try await one(Change.update(full, Fields.untyped(["u": .string(text(2_048))])))
        expectFailed(grown, "BAD_REQUEST", name, "1048576")
        try await expectUnchanged(full, in: database)
    }

    @Test("Records over the size do not stop others in the batch")
    func oversizedInBatch() async throws {
        let type = Unique.name("Large")
        let small = Unique.name("r")
        let large = Fields.untyped(["t": .string(text(1_048_577))])
        let answer = try await database.modify([
            Change.create(type, Unique.name("r"), large), Change.create(type, small),
        ])
        expectFailed(answer.records.first ?? .absent, "BAD_REQUEST")
        try await expectUnchanged(answer.records.last ?? .absent, in: database)
    }

    @Test("resultsLimit is 1 to 200; nothing below, never more above")
    func resultsLimit() async throws {
        let type = Unique.name("Limited")
        for _ in 0..<2 {
            expectSaved(
                try await database.modify((0..<150).map { _ in Change.create(type, Unique.name("r")) }), count: 150)
        }
        for limit in [1, 199, 200] {
            let answer = try await database.query(type, ["resultsLimit": .int(limit)])
            #expect(answer.status == 200 && answer.records.count == limit, "\(answer.json["reason"])")
        }
        for limit in [0, -1, Int64.min] {
            expectRefused(
                try await database.query(type, ["resultsLimit": .int(limit)]), 400, "BAD_REQUEST", "resultsLimit")
        }
        for limit in [201, Int64.max] {
            let answer = try await database.query(type, ["resultsLimit": .int(limit)])
            // The reference does not say whether more than the maximum is refused or means the maximum.
            if answer.status == 200 {
                #expect(answer.records.count == 200)
            } else {
                expectRefused(answer, 400, "BAD_REQUEST", "resultsLimit", "200")
            }
        }
    }

    @Test("64 filters pass, 65 are refused; 16 sorts pass, 17 are refused")
    func filters() async throws {
        let type = Unique.name("Filtered")
        _ = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["a": 1])))
        let filter = Condition.filter("a", "GREATER_THAN", 0)
        let passing = try await database.query(type, filters: Array(repeating: filter, count: 64))
        #expect(passing.records.count == 1, "\(passing)")
        expectRefused(
            try await database.query(type, filters: Array(repeating: filter, count: 65)), 400, "BAD_REQUEST", "65", "64"
        )
        let sort = Condition.sort("a")
        let sorted = try await database.query(type, sorts: Array(repeating: sort, count: 16))
        #expect(sorted.records.count == 1, "\(sorted)")
        expectRefused(
            try await database.query(type, sorts: Array(repeating: sort, count: 17)), 400, "BAD_REQUEST", "17", "16")
    }

    @Test("An IN of 250 values passes, of 251 is refused")
    func inValues() async throws {
        let type = Unique.name("Filtered")
        _ = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["a": 249])))
        for comparator in ["IN", "NOT_IN"] {
            let values = (0..<251).map { JSON.int($0) }
            let passing = Condition.filter("a", comparator, .array(Array(values.prefix(250))), type: "INT64_LIST")
            let answer = try await database.query(type, filters: [passing])
            #expect(answer.status == 200 && answer.records.count == (comparator == "IN" ? 1 : 0), "\(answer)")
            let refused = Condition.filter("a", comparator, .array(values), type: "INT64_LIST")
            expectRefused(try await database.query(type, filters: [refused]), 400, "BAD_REQUEST", "'a'", "250")
        }
    }

    @Test("A type may have 1,000 fields and not one more")
    func fields() async throws {
        let type = Unique.name("Wide")
        let fields = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("f\($0)", JSON.int($0)) })
        let record = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(fields)))
        #expect(record["fields"].object?.count == 1_000)
        let item = try await one(Change.update(record, Fields.untyped(["more": 1])))
        expectFailed(item, "BAD_REQUEST", "1000")
        try await expectUnchanged(record, in: database)
    }

    @Test("Containers 64 deep pass; 65 deep and 10,000 deep are refused")
    func depth() async throws {
        // Two levels are taken by the request and its unknown member.
        func body(_ depth: Int) -> String {
            let open = String(repeating: "[", count: depth - 1)
            let close = String(repeating: "]", count: depth - 1)
            return "{\"records\":[],\"unknown\":\(open)\(close)}"
        }
        let passing = try await database.post("records/lookup", text: body(64))
        #expect(passing.status == 200, "\(passing)")
        for depth in [65, 10_000] {
            expectRefused(try await database.post("records/lookup", text: body(depth)), 400, "BAD_REQUEST")
        }
    }

    @Test("A body of 16 MiB passes; one byte more is refused with 413 and an error dictionary")
    func bodySize() async throws {
        let size = 16 * 1_048_576
        let json = Array("{\"records\":[]}".utf8)
        let passing = try await database.post(
            "records/lookup", bytes: json + Array(repeating: 0x20, count: size - json.count))
        #expect(passing.status == 200, "\(passing.status) \(passing.text.prefix(300))")
        let refused = try await database.post(
            "records/lookup", bytes: json + Array(repeating: 0x20, count: size + 1 - json.count))
        #expect(refused.status == 413, "\(refused.status) \(refused.text.prefix(300))")
        expectRefused(refused, 413, "QUOTA_EXCEEDED", "16777216")
        #expect(refused.json["extensionErrorCode"] == "LIMIT_EXCEEDED")
        #expect(try await database.get("zones/list").status == 200)
    }
}
