import StratusTestSupport
import Testing

/// Input that no careful client sends: each refused precisely, and nothing changed (case 111).
@Suite("Bad input")
struct BadInputTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Bad input")
        database = tenant.privateDatabase
    }

    /// A body; `NAME` in it becomes the name of a record that must not be there afterwards.
    struct Body: Sendable, CustomTestStringConvertible {
        let action: String
        let text: String
        let words: [String]
        var testDescription: String { "\(action) \(text.prefix(120))" }

        init(_ action: String, _ text: String, _ words: String...) {
            (self.action, self.text, self.words) = ("records/" + action, text, words)
        }
    }

    /// A create of NAME with these fields.
    private static func creating(_ fields: String, _ words: String...) -> Body {
        let record = "{\"recordName\":\"NAME\",\"recordType\":\"Bad\",\"fields\":{\(fields)}}"
        let body = Body("modify", "{\"operations\":[{\"operationType\":\"create\",\"record\":\(record)}]}")
        return Body(body, words)
    }

    /// A query of Known with this filter.
    private static func filtering(_ filter: String, _ words: String...) -> Body {
        let body = Body("query", "{\"query\":{\"recordType\":\"Known\",\"filterBy\":[{\(filter)}]}}")
        return Body(body, words)
    }

    static let syntax: [Body] = [
        Body("lookup", "{"), Body("lookup", "{\"records\":[}"), Body("lookup", "nonsense"), Body("lookup", "[]"),
        Body("lookup", "\"text\""), Body("lookup", "7"), Body("lookup", "null"), Body("lookup", "{\"records\":[]} x"),
        Body("lookup", "{\"records\":[],}"), Body("lookup", "{'records':[]}"), Body("lookup", "{records:[]}"),
        Body("lookup", "{\"records\":[]/*comment*/}"), Body("lookup", "{\"records\":[{\"recordName\":\"\\ud800\"}]}"),
        Body("lookup", "{\"records\":[{\"recordName\":\"\\x41\"}]}"),
        Body("lookup", "{\"records\":[{\"recordName\":\"a\nb\"}]}"),
        Body("lookup", "{\"records\":[],\"records\":[]}", "twice"), Body("lookup", "{\"records\":[],\"x\":01}"),
        Body("lookup", "{\"records\":[],\"x\":+1}"), Body("lookup", "{\"records\":[],\"x\":.5}"),
        Body("lookup", "{\"records\":[],\"x\":NaN}"), Body("lookup", "{\"records\":[],\"x\":Infinity}"),
        creating("\"f\":{\"value\":1,\"value\":2}", "twice"),
        creating("\"f\":{\"value\":1},\"f\":{\"value\":2}", "twice"),
        creating("\"f\":{\"value\":1}},\"fields\":{\"g\":{\"value\":2}", "twice"),
    ]

    static let shapes: [Body] = [
        Body("modify", "{}", "operations"), Body("modify", "{\"operations\":{}}", "operations"),
        Body("modify", "{\"operations\":\"x\"}", "operations"), Body("modify", "{\"operations\":[1]}", "operations"),
        Body("modify", "{\"operations\":[{}]}", "operationType"),
        Body("modify", "{\"operations\":[{\"operationType\":\"create\"}]}", "record"),
        Body(
            "modify", "{\"operations\":[{\"operationType\":\"erase\",\"record\":{\"recordName\":\"NAME\"}}]}",
            "operationType"),
        Body(
            "modify", "{\"operations\":[{\"operationType\":7,\"record\":{\"recordName\":\"NAME\"}}]}", "operationType"),
        Body("modify", "{\"operations\":[{\"operationType\":\"create\",\"record\":[]}]}", "record"),
        Body(
            "modify",
            "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordName\":7,\"recordType\":\"Bad\"}}]}",
            "recordName"),
        Body(
            "modify", "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordName\":\"NAME\"}}]}",
            "recordType"),
        Body(
            "modify",
            "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordName\":\"NAME\",\"recordType\":1}}]}",
            "recordType"),
        Body("modify", "{\"operations\":[],\"atomic\":\"perhaps\"}", "atomic"),
        Body("modify", "{\"operations\":[],\"desiredKeys\":\"a\"}", "desiredKeys"),
        Body("modify", "{\"operations\":[],\"desiredKeys\":[1]}", "desiredKeys"),
        Body("modify", "{\"operations\":[],\"zoneID\":\"z\"}", "zoneID"),
        Body("modify", "{\"operations\":[],\"zoneID\":{}}", "zoneName"),
        Body("modify", "{\"operations\":[],\"zoneID\":{\"zoneName\":1}}", "zoneName"), Body("lookup", "{}", "records"),
        Body("lookup", "{\"records\":[{}]}", "recordName"),
        Body("lookup", "{\"records\":[{\"recordName\":null}]}", "recordName"),
        Body("lookup", "{\"records\":\"x\"}", "records"), Body("query", "{}", "query"),
        Body("query", "{\"query\":{}}", "recordType"),
        Body("query", "{\"query\":{\"recordType\":7}}", "recordType"),
        Body("query", "{\"query\":{\"recordType\":\"Known\"},\"resultsLimit\":\"many\"}", "resultsLimit"),
        Body("query", "{\"query\":{\"recordType\":\"Known\"},\"resultsLimit\":1.5}", "resultsLimit"),
    ]

    static let values: [Body] = [
        creating("\"f\":1", "f"), creating("\"f\":{}", "f"), creating("\"f\":{\"type\":\"STRING\"}", "f"),
        creating("\"f\":{\"value\":1,\"type\":\"NOTHING\"}", "f", "type"),
        creating("\"f\":{\"value\":1,\"type\":7}", "f"),
        creating("\"f\":{\"value\":9223372036854775808,\"type\":\"INT64\"}", "f"),
        creating("\"f\":{\"value\":-9223372036854775809,\"type\":\"INT64\"}", "f"),
        creating("\"f\":{\"value\":\"9223372036854775808\",\"type\":\"INT64\"}", "f"),
        creating("\"f\":{\"value\":1.5,\"type\":\"INT64\"}", "f"),
        creating("\"f\":{\"value\":9223372036854775808}", "'f'", "64 bits"),
        creating("\"f\":{\"value\":[1,-9223372036854775809]}", "'f'", "64 bits"),
        creating("\"f\":{\"value\":\"1x\",\"type\":\"INT64\"}", "f"),
        creating("\"f\":{\"value\":1e400,\"type\":\"DOUBLE\"}"),
        creating("\"f\":{\"value\":\"NaN\",\"type\":\"DOUBLE\"}", "f"),
        creating("\"f\":{\"value\":1.5,\"type\":\"TIMESTAMP\"}", "f"),
        creating("\"f\":{\"value\":7,\"type\":\"STRING\"}", "f"),
        creating("\"f\":{\"value\":\"A\",\"type\":\"BYTES\"}", "f"),
        creating("\"f\":{\"value\":\"**==\",\"type\":\"BYTES\"}", "f"),
        creating("\"f\":{\"value\":\"x\",\"type\":\"STRING_LIST\"}", "f"),
        creating("\"f\":{\"value\":[1],\"type\":\"STRING_LIST\"}", "f"),
        creating("\"f\":{\"value\":[\"a\",null]}", "f"), creating("\"f\":{\"value\":[[1]]}", "f"),
        creating("\"f\":{\"value\":[1,\"a\"]}", "f"), creating("\"f\":{\"value\":[\"a\"],\"type\":\"STRING\"}", "f"),
        creating("\"f\":{\"value\":{\"latitude\":1},\"type\":\"LOCATION\"}", "f", "longitude"),
        creating("\"f\":{\"value\":{\"latitude\":91,\"longitude\":0},\"type\":\"LOCATION\"}", "f", "latitude"),
        creating("\"f\":{\"value\":{\"latitude\":0,\"longitude\":-181},\"type\":\"LOCATION\"}", "f", "longitude"),
        creating("\"f\":{\"value\":{\"latitude\":\"x\",\"longitude\":0},\"type\":\"LOCATION\"}", "f", "latitude"),
        creating(
            "\"f\":{\"value\":{\"recordName\":\"x\",\"action\":\"EXPLODE\"},\"type\":\"REFERENCE\"}", "f", "action"),
        creating("\"f\":{\"value\":{},\"type\":\"REFERENCE\"}", "f"), creating("\"f\":{\"value\":{\"what\":1}}", "f"),
        creating("\"f\":{\"value\":0,\"type\":\"TIMESTAMP\",\"exactReferenceSeconds\":5}", "exactReferenceSeconds"),
    ]

    static let filters: [Body] = [
        filtering("\"comparator\":\"LIKE\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "comparator"),
        filtering("\"comparator\":\"equals\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "comparator"),
        filtering("\"comparator\":7,\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "comparator"),
        filtering("\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "comparator"),
        filtering("\"comparator\":\"EQUALS\",\"fieldName\":\"n\"", "fieldValue"),
        filtering("\"comparator\":\"EQUALS\",\"fieldValue\":{\"value\":1}", "field"),
        filtering(
            "\"comparator\":\"EQUALS\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":\"x\",\"type\":\"STRING\"}", "'n'"),
        filtering(
            "\"comparator\":\"BEGINS_WITH\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "'n'", "BEGINS_WITH"),
        filtering(
            "\"comparator\":\"LIST_CONTAINS\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "'n'", "LIST_CONTAINS"),
        filtering("\"comparator\":\"NEAR\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":1},\"distance\":5", "'n'"),
        filtering(
            "\"comparator\":\"NEAR\",\"fieldName\":\"at\",\"fieldValue\":{\"value\":{\"latitude\":1,\"longitude\":1}}",
            "distance"),
        filtering(
            "\"comparator\":\"NEAR\",\"fieldName\":\"at\",\"fieldValue\":{\"value\":{\"latitude\":1,\"longitude\":1}},\"distance\":-5",
            "distance"),
        filtering("\"comparator\":\"BEGINS_WITH\",\"fieldName\":\"b\",\"fieldValue\":{\"value\":\"AA==\"}", "'b'"),
        filtering(
            "\"comparator\":\"EQUALS\",\"fieldName\":\"at.latitude\",\"fieldValue\":{\"value\":1}", "at.latitude"),
        filtering(
            "\"comparator\":\"EQUALS\",\"systemFieldName\":\"password\",\"fieldValue\":{\"value\":1}", "systemFieldName"
        ),
        filtering("\"comparator\":\"IN\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":1}", "'n'"),
        filtering(
            "\"comparator\":\"EQUALS\",\"fieldName\":\"n\",\"fieldValue\":{\"value\":[1],\"type\":\"INT64_LIST\"}",
            "'n'"),
        Body("query", "{\"query\":{\"recordType\":\"Known\",\"sortBy\":[{}]}}", "sort"),
        Body("query", "{\"query\":{\"recordType\":\"Known\",\"sortBy\":[{\"fieldName\":\"at\"}]}}", "'at'"),
        Body("query", "{\"query\":{\"recordType\":\"Known\",\"sortBy\":[{\"fieldName\":\"bs\"}]}}", "'bs'"),
        Body(
            "query", "{\"query\":{\"recordType\":\"Known\",\"sortBy\":[{\"fieldName\":\"n\",\"ascending\":\"up\"}]}}",
            "ascending"),
        Body("query", "{\"query\":{\"recordType\":\"Known\",\"filterBy\":7}}", "filterBy"),
    ]

    /// The type that the filters ask about.
    private static let known = Task {
        let database = try await Tenant.shared("Bad input").privateDatabase
        let fields: JSON = [
            "n": Fields.typed("INT64", 1), "at": Fields.typed("LOCATION", ["latitude": 1, "longitude": 1]),
            "b": Fields.typed("BYTES", "AA=="), "bs": Fields.typed("BYTES_LIST", ["AA=="]),
        ]
        return try await database.save(Change.create("Known", "known", fields))
    }

    @Test("Bodies that say what cannot be meant are refused by name", arguments: syntax + shapes + values + filters)
    func refused(body: Body) async throws {
        let known = try await Self.known.value
        let name = Unique.name("r")
        let answer = try await database.post(body.action, text: body.text.replacing("NAME", with: name))
        let item = answer.status == 200 ? answer.records.first ?? .absent : answer.json
        if answer.status == 200 {
            #expect(answer.records.count == 1 && body.action == "records/modify", "\(answer)")
        } else {
            expectRefused(answer, 400, "BAD_REQUEST")
        }
        #expect(item["serverErrorCode"] == "BAD_REQUEST", "\(answer)")
        let reason = item["reason"].string ?? ""
        for word in body.words { #expect(reason.contains(word), "no '\(word)' in the reason: \(answer)") }
        try await expectAbsent(name, in: database)
        try await expectUnchanged(known, in: database)
    }

    @Test(
        "Malformed UTF-8 and NUL are refused",
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func malformedUTF8(bytes: [UInt8]) async throws {
        let (before, after) = (Array("{\"records\":[{\"recordName\":\"".utf8), Array("\"}]}".utf8))
        expectRefused(try await database.post("records/lookup", bytes: before + bytes + after), 400, "BAD_REQUEST")
        let name = Unique.name("r")
        let change = Change.create("Bad", name, Fields.untyped(["f": "HERE"])).text
        let parts = "{\"operations\":[\(change)]}".split(separator: "HERE")
        let body = Array(parts[0].utf8) + bytes + Array(parts[1].utf8)
        expectRefused(try await database.post("records/modify", bytes: body), 400, "BAD_REQUEST")
        try await expectAbsent(name, in: database)
    }

    @Test("A body cut off at any byte is refused and changes nothing")
    func truncated() async throws {
        let name = Unique.name("r")
        let whole = Array("{\"operations\":[\(Change.create("Bad", name, Fields.untyped(["f": "é"])).text)]}".utf8)
        for length in 1..<whole.count {
            let answer = try await database.post("records/modify", bytes: Array(whole.prefix(length)))
            #expect(answer.status == 400 && answer.code == "BAD_REQUEST", "\(length): \(answer)")
        }
        try await expectAbsent(name, in: database)
    }

    @Test("Asset values without a receipt are refused")
    func asset() async throws {
        let name = Unique.name("r")
        let asset: JSON = ["fileChecksum": "AQ==", "size": 1, "receipt": "forged", "downloadURL": "http://127.0.0.1/"]
        let answer = try await database.modify([Change.create("Bad", name, ["f": Fields.typed("ASSETID", asset)])])
        let item = answer.status == 200 ? answer.records.first ?? .absent : answer.json
        #expect(item["serverErrorCode"] == "BAD_REQUEST", "\(answer)")
        try await expectAbsent(name, in: database)
    }

    @Test("Reasons never repeat values", arguments: ["STRING", "INT64", "TIMESTAMP", "BYTES"])
    func noValuesInReasons(type: String) async throws {
        let secret = "s3cret-\(Unique.name("v"))"
        let value: JSON = type == "STRING" ? [.string(secret)] : .string(secret)
        let answer = try await database.modify([
            Change.create("Bad", Unique.name("r"), ["f": Fields.typed(type, value)])
        ])
        #expect(answer.text.contains("BAD_REQUEST"), "\(answer)")
        #expect(!answer.text.contains(secret), "\(answer)")
    }
}

extension BadInputTests.Body {
    fileprivate init(_ body: Self, _ words: [String]) {
        (action, text) = (body.action, body.text)
        self.words = words
    }
}
